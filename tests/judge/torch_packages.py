"""Models of other packages, imported when they are made: ImportError tells exporters.py that one is absent."""


def of_torchvision(name, **options):
    def make():
        import torchvision

        return getattr(torchvision.models, name)(**options)

    return make


def of_timm(module, name, **options):
    def make():
        import importlib

        return getattr(importlib.import_module(f"timm.models.{module}"), name)(**options)

    return make
