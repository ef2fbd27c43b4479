"""The notebook of examples/, run from top to bottom."""

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT


@pytest.mark.filterwarnings("ignore")
def test_it_runs_and_shows_pictures():
    notebook = nbformat.read(ROOT / "examples/first_steps.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": ROOT}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [output.data for output in outputs if output.output_type in ("execute_result", "display_data")]
    assert sum("<svg" in data.get("text/html", "") for data in shown) >= 3
    assert sum("<table" in data.get("text/html", "") for data in shown) >= 3
