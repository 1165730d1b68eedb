"""Rules that read English letters, for names and words that no dictionary has.

The form of the rules is that of Elovitz, Johnson, McHugh and Shore, "Letter-to-sound rules for
automatic translation of English text to phonetics" (IEEE Transactions on Acoustics, Speech and
Signal Processing 24, 1976): what stands before, the letters, what stands after, the sounds. The
rules themselves are fewer, and our own. A reading may be odd, but there always is one.
"""

from __future__ import annotations

import functools
import re

__all__ = ["read_letters"]

_LETTER_NAMES = {
    "a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY",
    "h": "EY CH", "i": "AY", "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N",
    "o": "OW", "p": "P IY", "q": "K Y UW", "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW",
    "v": "V IY", "w": "D AH B AH L Y UW", "x": "EH K S", "y": "W AY", "z": "Z IY",
}  # fmt: skip

# A rule a line: before [letters] after = sounds. In what stands before and after, # is one or more
# vowels, . one consonant, : none or more consonants, + one of e i y, $ the edge of the word,
# @ an edge of the word or what is no vowel. The first rule that fits is taken.
_RULES = """
[augh]t=AO|[augh]=AE F|[au]=AO|[aw]=AO|[air]=EH R|[are]$=EH R|[ai]=EY|[ay]=EY|[aa]=AA|[ae]=IY
$[a]$=AH|[al]k=AO|[all]=AO L|[al]m=AA|w[ar]=AO R|[arr]=EH R|[ar]=AA R|$w[a]=AA|qu[a]=AA|[a]ste$=EY
[a]nge=EY|[a].e$=EY|[a].es$=EY|[a].ed$=EY|[a].ing$=EY|[a]tion=EY|[a]ble$=AH|#:[able]$=AH B AH L
#:[al]$=AH L|#:[a]$=AH|#:[an]$=AH N|#:[ance]$=AH N S|#:[ant]$=AH N T|$[a].#=AH|[a]=AE
[bb]=B|m[b]$=|[b]=B
[cch]=CH|s[ch]=K|$[ch]r=K|[ch]=CH|[cc]+=K S|[cc]=K|[ck]=K|[ci]a=SH|[ci]o=SH|[cqu]=K W|s[c]+=|[c]+=S
[cz]=CH|[c]=K
[dd]=D|[dg]e=JH|[dj]=JH|[d]=D
[eau]=OW|[ear].=ER|[ear]=IH R|[eer]=IH R|[ee]=IY|[eigh]=EY|[ei]=IY|[ea]d=EH|[ea]th=EH|[ea]=IY
[eu]=UW|r[ew]=UW|l[ew]=UW|[ew]=Y UW|[ey]$=IY|[ey]=EY|$[e]$=IY|$:[e]$=IY|#:.[le]$=AH L|[err]=EH R
[er]$=ER|[er]@=ER|[er]=EH R|t[ed]$=IH D|d[ed]$=IH D|#:[e]d$=|s[es]$=IH Z|z[es]$=IH Z|ch[es]$=IH Z
sh[es]$=IH Z|x[es]$=IH Z|c[es]$=IH Z|g[es]$=IH Z|#:[e]s$=|#:[ely]$=L IY|#:[e]ment=|#:[e]ful=
#:[ence]$=AH N S|#:[ent]$=AH N T|#:[en]$=AH N|#:[el]$=AH L|#:[et]$=AH T|#:[ess]$=AH S|#:[e]$=
$.[e].e=IY|$r[e].#=IH|$d[e].#=IH|$b[e].#=IH|[e]=EH
[ff]=F|[f]=F
[gg]=G|$[gh]=G|[gh]=|$[gn]=N|[gn]$=N|[gi]#=JH|[gue]$=G|$[ge]t=G EH|$[gi]=G IH|[g]+=JH|[g]=G
$[h]our=|$[h]on=|#[h]@=|[h]#=HH|[h]=
[ier]$=IY ER|[ies]$=IY Z|[ied]$=IY D|[ie]$=IY|[ie]=IY|[igh]=AY|[ign]$=AY N|[ild]$=AY L D
[ind]$=AY N D|[ique]$=IY K|[ir]#=IH R|[ir]=ER|[io]u=IY|[ia]$=IY AH|[ia]=IY AH|[io]=IY OW|[i].e$=AY
[i].es$=AY|[i].ed$=AY|[i]le$=AY|$:[i]$=AY|[i]$=IY|$b[i]o=AY|[ize]=AY Z|[ise]=AY Z|[ii]=IY|[i]=IH
[j]=JH
$[kn]=N|[kk]=K|[kh]=K|[k]=K
[ll]=L|[l]=L
[mm]=M|$[mn]=N|[mn]$=M|[m]=M
[nn]=N|[ng]$=NG|[ng]#=NG G|[ng]=NG|[n]k=NG|[n]x=NG|[n]=N
[ought]=AO T|[ough]=OW|[oul]d=UH|[ous]$=AH S|[our]=AO R|[ou]=AW|[ow]$=OW|[own]=AW N|[ow]=OW
[oi]=OY|[oy]=OY|[ook]=UH K|[oor]=AO R|[oo]=UW|[oar]=AO R|[oa]=OW|[oe]=OW|[ol]d=OW L|w[or]=ER
#:[or]$=ER|[orr]=AO R|[or]=AO R|[o].e$=OW|[o].es$=OW|[o].ed$=OW|[o]$=OW|[oss]=AO S|[o]ng=AO
#:[on]$=AH N|#:[om]$=AH M|[o].#=OW|[o]st$=OW|[o]=AA
[ph]=F|[pp]=P|$[ps]=S|$[pn]=N|[p]=P
[qu]e$=K|[qu]=K W|[q]=K
[rrh]=R|[rh]=R|[rr]=R|[r]=R
[sch]w=SH|[sch]m=SH|[sch]=S K|[sh]=SH|[ss]ion=SH|#[s]ion=ZH|[s]ion=SH|#[s]ure=ZH|[ss]ure=SH
[ss]=S|#[s]m$=Z|#[s]e$=Z|#[s]#=Z|#:#[s]$=Z|b[s]$=Z|d[s]$=Z|g[s]$=Z|l[s]$=Z|m[s]$=Z|n[s]$=Z
r[s]$=Z|v[s]$=Z|[sz]=S|[s]=S
[tch]=CH|[tion]=SH AH N|[tia]=SH AH|[tie]n=SH|[tio]=SH OW|[ture]=CH ER|[th]er$=DH|$[th]is=DH
$[th]at=DH|[th]=TH|[tt]=T|[tsch]=CH|[t]=T
$[un]#=Y UW N|$[un]=AH N|[uer]$=UW ER|[uy]=AY|g[u]#=|[ur]#=UH R|[ur]=ER|[ui]=UW|[ue]$=UW|r[u].#=UW
l[u].#=UW|j[u].#=UW|s[u].#=UW|d[u].#=UW|t[u].#=UW|[u].#=Y UW|[u]$=UW|#:[us]$=AH S|#:[um]$=AH M
#:[u]l$=AH|[u]=AH
[vv]=V|[v]=V
$[wr]=R|$[who]=HH UW|[wh]=W|[w]#=W|[w]=
$[x]=Z|[xx]=K S|[x]=K S
$[y]#=Y|$:[y]$=AY|[y].e$=AY|#[y]#=Y|$:[y].#=AY|[y]$=IY|[yr]=IH R|#[y]=|[y]=IH
[zz]=Z|[z]=Z
[']=
"""

_CLASSES = {
    "#": "[aeiouy]+", ".": "[bcdfghjklmnpqrstvwxz]", ":": "[bcdfghjklmnpqrstvwxz]*", "+": "[eiy]",
    "@": "(?:$|[^aeiouy])",
}  # fmt: skip


def read_letters(word: str) -> tuple[str, ...]:
    """The phones of a word by rules; the names of the letters where no vowel is among them.

    Parameters
    ----------
    word
        Of the letters a to z and apostrophes.

    Returns
    -------
    tuple of str
        At least one phone.
    """
    plain = re.sub("[^a-z]", "", word.lower())
    if not re.search("[aeiouy]", plain):
        names = " ".join(_LETTER_NAMES[letter] for letter in plain)
        return tuple(names.split()) or ("AH",)
    phones: list[str] = []
    at = 0
    while at < len(plain):
        for before, letters, after, sounds in _rules()[plain[at]]:
            end = at + len(letters)
            if (
                plain.startswith(letters, at)
                and after.match(plain, end)
                and before.search(plain[:at])
            ):
                phones += sounds
                at = end
                break
    return tuple(phones) or ("AH",)


@functools.cache
def _rules() -> dict[str, list[tuple[re.Pattern[str], str, re.Pattern[str], tuple[str, ...]]]]:
    """The rules by their first letter; each letter's last one always fits."""
    table: dict[str, list[tuple[re.Pattern[str], str, re.Pattern[str], tuple[str, ...]]]] = {}
    for line in re.split(r"[|\n]", _RULES.strip()):
        left, letters, right, sounds = re.fullmatch(r"(.*)\[(.*)\](.*?)=(.*)", line).groups()  # type: ignore[union-attr]
        before = "".join("^" if sign == "$" else _CLASSES.get(sign, sign) for sign in left)
        after = "".join("$" if sign == "$" else _CLASSES.get(sign, sign) for sign in right)
        rule = (re.compile(f"(?:{before})$"), letters, re.compile(after), tuple(sounds.split()))
        table.setdefault(letters[0], []).append(rule)
    return table
