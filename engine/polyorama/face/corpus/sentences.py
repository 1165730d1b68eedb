"""Sentences to be spoken: our own, written for everyday words and for all of English's phones."""

from __future__ import annotations

__all__ = ["HELD_OUT", "SENTENCES", "sentence_words"]

_TEXT = """
The morning bus was late, so we walked along the river.
Bobby brought a basket of purple plums to the party.
She sells fresh bread and butter by the old stone bridge.
My father built a wooden boat before the summer began.
Please put the blue cup on the top shelf.
A thin cloud covered the moon for half an hour.
Nobody knew where the small brown puppy had come from.
We measured the room twice and bought the wrong carpet.
The judge asked a very simple question.
He chewed his pencil and watched the shadows move.
Five vans of fresh vegetables arrived from the valley.
Their mother gathered feathers from the path.
I thought I heard thunder north of the town.
Would you like some warm milk with your cake?
The usual measure of pleasure is hard to imagine.
Young people often use music to share a feeling.
The boy enjoyed the noisy toys in the oil shop.
Keep quiet, the baby is asleep in the back room.
The king was singing a long song about spring.
How now, said the brown cow in the old story.
The chef chose cheap cheese and charged for it.
Pam mapped the empty swamp by lamp light.
Big drums make a deep booming sound.
The mob swept past the museum in the afternoon.
Every evening they played cards under the apple tree.
The doctor wrote down the numbers and smiled.
Our neighbor keeps seven hens and one loud rooster.
I would rather climb the hill than wait for the lift.
The lamp on the corner flickered and went out.
Someone left an umbrella on the kitchen table.
The puppet opened its mouth and began to speak.
Fifty fat frogs fell from the fountain.
Give me the paper map, not the phone.
The wind blew sand against the window all night.
You should have seen the look on her face.
There is a hole in the pocket of my coat.
They argued about the price of a cup of coffee.
The train leaves at a quarter past three.
Put both of your hands on the wheel.
His voice was calm, but his hands were shaking.
A bird built its nest above the front door.
The children made a tower of cardboard boxes.
We could hear the sea from the bedroom window.
The soup was too hot and had too much pepper.
I am sorry, but the shop is already closed.
Look at the colors of those autumn leaves.
It took me a week to read that thick book.
The farmer fixed the fence before the storm.
What a wonderful surprise this is!
She laughed so loudly that the room went quiet.
The bottle rolled slowly across the floor.
Do not forget to water the plants on Monday.
The moon pulls the ocean twice a day.
He painted the ceiling yellow and the walls white.
This path goes over the hill and down to the lake.
The engine coughed, then roared to life.
My sister plays the violin in a village hall.
The crowd cheered when the rope snapped.
Try to push the heavy door with your shoulder.
A fox jumped over the wall and vanished.
The wet dog shook itself beside the white sofa.
Nothing tastes better than bread from a stone oven.
The clock in the tower is always wrong.
We found an old photograph under the carpet.
I have never been so happy in my life.
Why did you leave without saying goodbye?
The ship turned around in the narrow harbor.
Bring me a bucket of water and a brush.
The pilot spoke to the passengers in a low voice.
They moved the piano through the window.
Somebody must have taken the wrong suitcase.
The judge joined the general at the edge of the garage.
A quick wash will remove the mud from your shoes.
The teacher wrote a long word on the board.
Each of them wanted the largest piece of pie.
The cat sat by the fire and closed its eyes.
I wish you would tell me the truth.
The valley was full of fog until noon.
Grandmother kept her buttons in a tin box.
The road bends sharply before the bridge.
He was angry because nobody had listened.
The lights went out and everyone gasped.
The museum is free on the first Sunday of the month.
You can borrow my bicycle if you are careful.
A single candle lit the whole room.
The waiter dropped a plate of noodles.
We will probably be home before midnight.
The mayor opened the new library with a golden key.
Her brother works at the airport at night.
The old man fed bread to the pigeons.
Please speak slowly and move your lips.
The bear climbed up the maple tree for honey.
A damp map is better than no map at all.
The baker burned both batches of biscuits.
Most of the paint had peeled from the pipes.
Pack my bag with a pair of blue pajamas.
Tom promised to bring a lamb to the farm.
The ambulance stopped behind the bank.
Poor Pamela bumped her elbow on the pump.
Summer storms often bring sudden showers.
We walked home through the warm rain.
Few of them believed the fisherman.
The thief threw three things off the roof.
Both brothers breathe through their mouths.
Those clothes are rather thin for this weather.
The weaver gave every visitor a woven scarf.
Have you ever driven over the seven hills?
She showed us a shiny shell from the shore.
The usher put a hush over the crowded house.
The beige garage hid a treasure.
Church bells chimed across the marsh.
Jack just joined a judo class in June.
Yesterday you used yellow yarn.
The wise women went westward in winter.
One wet week was enough for all of us.
Who would have heard a whisper in here?
Ring the bell and bring along the young king.
Gray geese gathered in the green garden.
Can the cook come and count the cookies?
Little Lily fell and lost a yellow ball.
Red roses are rarely right for a rainy road.
The nurse turned and heard the first bird.
Oh no, the boat will not float.
Bright light might blind the tired pilot.
Join the noisy boys and enjoy the voyage.
Now the crowd is allowed to shout out loud.
Take the same train every day in May.
The good cook took a look at the book.
Too few blue shoes were in the room.
All the tall walls fall in the autumn.
Father calmly parked the car far from the bar.
Ten men sent seven letters to the west.
Sit still and fill in this simple list.
He needs these green seeds each week.
Ask the man to pass the black sack back.
Up above us the sun was coming out.
The answer is somewhere between nine and eleven.
Do you remember the name of that street?
I cannot believe that you said that to her.
Leave me alone, I have work to do.
That was the best meal of the whole trip.
Be careful, the steps are covered with ice.
I do not like the smell of this fish.
Wait for me at the gate after school.
We are going to miss the beginning of the film.
Everybody clapped when the music stopped.
My grandfather never learned to swim.
It is only a small cut, do not worry.
The tailor measured my arms and my back.
Put the lid on the pot and turn down the heat.
In the middle of the night the phone rang.
The mountain looked purple at sunset.
I will meet you by the fountain at five.
The snow began to melt in the first week of March.
They sleep in a tent beside the stream.
Rub a bit of soap on the zip.
A brown rabbit hopped behind the bush.
The plumber put a new pump in the basement.
Could you help me move this table?
Nobody wants to sit beside the open door.
The actor forgot half of his lines.
The little robot waved and said hello.
The bridge was built by people from the village.
I bet the package will be here by Friday.
Imagine a world without any maps.
The company made a profit for the first time.
She put the ribbon back into the box.
We baked an apple pie and a plum cake.
The problem was simple, but nobody saw it.
There were about forty people on the platform.
The rocket rose above a column of smoke.
A gentle breeze moved the curtains.
The path was blocked by a fallen tree.
He whistled a tune and swept the porch.
Do not touch that, it is still hot.
The sailors sang as they pulled the ropes.
Every word you say changes the shape of your mouth.
The violin was made a hundred years ago.
I am afraid that something is behind us.
That is disgusting, take it away.
I miss you more than I can say.
Stop right there and put it down.
Breathe in, hold it, and breathe out again.
We won, we really won the match!
It does not matter, we have plenty of time.
The owl called twice from the edge of the wood.
Her new job begins in the middle of April.
The painter mixed a little brown into the pink.
Move the mouse to the top of the page.
Both windows were broken by the blast.
Bees buzz about the big bush by the barn.
Mama made more jam than Papa.
Pepper makes people sneeze.
Maybe my membership number begins with a B.
Will you stay for dinner or go home?
The garden gate squeaks in the wind.
The lawyer paused and drank some water.
Thirty third graders threw paper planes.
A very brave diver dove into the cove.
I heard the same joke from four of them.
The photographer told us to say cheese.
Open the window, it is far too warm in here.
The bus driver waved at the boys on the bank.
Happy birthday, make a wish and blow.
Long after dark the workers left the field.
His book is about a boy who could not speak.
The lemon tree on the balcony has three lemons.
She watched the rain and thought about home.
The jar was full of orange marbles.
A new moon rose over the empty beach.
Mix the flour and the butter with your fingers.
The spy hid the film inside a shoe.
"""

SENTENCES: tuple[str, ...] = tuple(line for line in _TEXT.splitlines() if line)
"""All sentences; a sentence's number is its place here."""

HELD_OUT: frozenset[int] = frozenset(range(4, len(SENTENCES), 5))
"""Numbers of the sentences that no model is trained on: every fifth."""


def sentence_words(numbers: frozenset[int]) -> frozenset[str]:
    """The words of some sentences, in small letters without punctuation."""
    return frozenset(
        word.strip(".,!?").lower() for number in numbers for word in SENTENCES[number].split()
    )
