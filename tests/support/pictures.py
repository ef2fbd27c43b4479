"""Small pictures that are drawn, not photographed: inputs for the networks in models/ where no data set is at hand."""

import numpy as np

SIZE = 32


def picture(rng):
    """Blobs and stripes on a gradient, as bytes [3, 32, 32]: smooth areas, edges and textures as photos have them."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    colors = rng.uniform(0, 255, (6, 3, 1, 1))
    slope = (x * rng.normal() + y * rng.normal() + 1) / 2
    canvas = colors[0] + (colors[1] - colors[0]) * slope
    for color in colors[2:5]:
        center, radius = rng.uniform(0, 1, 2), rng.uniform(0.1, 0.35, 2)
        inside = ((x - center[0]) / radius[0]) ** 2 + ((y - center[1]) / radius[1]) ** 2 < 1
        canvas = np.where(inside, color, canvas)
    stripes = np.sin(2 * np.pi * (x * rng.uniform(-8, 8) + y * rng.uniform(-8, 8)))
    canvas = np.where((y > rng.uniform(0.4, 0.8)) & (stripes > 0), colors[5], canvas)
    return np.clip(canvas + rng.normal(0, 6, canvas.shape), 0, 255).astype(np.uint8)


def pictures(count, seed=1):
    rng = np.random.default_rng(seed)
    return np.stack([picture(rng) for _ in range(count)])


def write_cifar(path, images, labels):
    """In CIFAR-10's binary form: a byte for the label, then the pixels."""
    np.hstack([np.asarray(labels, np.uint8).reshape(-1, 1), images.reshape(len(images), -1)]).tofile(path)
