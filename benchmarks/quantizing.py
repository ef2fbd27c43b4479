"""ONNX Runtime's quantize_static, as a process of its own: quantizing.py MODEL IMAGES OUTPUT CALIBRATION

IMAGES are in CIFAR-10's binary format; a pixel is byte / 255. What its documentation says to do: prepare the model, then
quantize it, with one image for each call of the data reader.
"""

import sys

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

METHODS = {
    "minmax": CalibrationMethod.MinMax,
    "percentile": CalibrationMethod.Percentile,
    "entropy": CalibrationMethod.Entropy,
}


class Images(CalibrationDataReader):
    def __init__(self, path):
        raw = np.fromfile(path, np.uint8).reshape(-1, 3073)[:, 1:].reshape(-1, 3, 32, 32)
        self.rest = iter(raw)

    def get_next(self):
        image = next(self.rest, None)
        return None if image is None else {"image": (image[None] / np.float32(255)).astype(np.float32)}


def main():
    model, images, output, calibration = sys.argv[1:]
    quant_pre_process(model, output, skip_symbolic_shape=True)
    quantize_static(output, output, Images(images), per_channel=True, activation_type=QuantType.QInt8,
                    weight_type=QuantType.QInt8, calibrate_method=METHODS[calibration])


if __name__ == "__main__":
    main()
