"""Slow and plain versions of the feature learning strength, in float64."""

from __future__ import annotations

import numpy as np
import torch


def plain_mlp(weights, x):
    """NN(x) and all hidden layers of one network, example by example, neuron by neuron."""
    *hidden, last = weights
    layers = [x]
    for weight in hidden:
        out = np.zeros((len(x), weight.shape[1]))
        for b, j in np.ndindex(out.shape):
            total = sum(layers[-1][b, i] * weight[i, j] for i in range(weight.shape[0]))
            out[b, j] = max(0.0, total / weight.shape[0] ** 0.5)
        layers.append(out)
    return layers[-1] @ last / last.shape[0], layers


def plain_step(weights, first, gamma, eta, x, y):
    """One step of SGD by back-propagation written out; returns the loss and the new weights."""
    f, layers = plain_mlp(weights, x)
    f = (f - plain_mlp(first, x)[0]) / gamma
    width = weights[-1].shape[0]
    back = 2.0 * (f - y) / f.size / gamma / width
    gradients = [layers[-1].T @ back]
    back = back @ weights[-1].T
    for number in range(len(weights) - 2, -1, -1):
        back = back * (layers[number + 1] > 0.0) / weights[number].shape[0] ** 0.5
        gradients.insert(0, layers[number].T @ back)
        back = back @ weights[number].T
    new = [w - width * eta * g for w, g in zip(weights, gradients, strict=True)]
    return float(((f - y) ** 2).mean()), new


def plain_conv(weights, picture, width):
    """NN of one 8x8 picture, filter by filter."""
    channels = width // 2
    padded = np.zeros((10, 10))
    padded[1:9, 1:9] = picture.reshape(8, 8)
    first = np.zeros((4, 4, channels))
    for row, column, c in np.ndindex(first.shape):
        patch = padded[2 * row : 2 * row + 3, 2 * column : 2 * column + 3].ravel()
        first[row, column, c] = max(0.0, patch @ weights[0][:, c] / 3.0)
    second = np.zeros((2, 2, channels))
    for row, column, c in np.ndindex(second.shape):
        patch = first[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].ravel()
        second[row, column, c] = max(0.0, patch @ weights[1][:, c] / (4 * channels) ** 0.5)
    hidden = np.maximum(0.0, second.ravel() @ weights[2] / (4 * channels) ** 0.5)
    return hidden @ weights[3] / width


def jacobian(network, weights, x):
    """(P * C, parameters) by one gradient at a time."""
    own = [w.clone().requires_grad_() for w in weights]
    rows = []
    for value in network(own, x)[0].ravel():
        gradients = torch.autograd.grad(value, own, retain_graph=True)
        rows.append(torch.cat([g.ravel() for g in gradients]).numpy())
    return np.array(rows)


def plain_toy(depth, gamma, eta, first, steps):
    """Weights of one toy after so many steps, one at a time."""
    weights = list(first)
    begun = np.prod(weights)
    for _ in range(steps):
        wrong = (np.prod(weights) - begun) / gamma - 1.0
        rest = [np.prod(weights[:i] + weights[i + 1 :]) for i in range(depth)]
        weights = [w - eta * wrong * r / gamma for w, r in zip(weights, rest, strict=True)]
    return weights
