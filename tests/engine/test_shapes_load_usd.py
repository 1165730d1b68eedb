"""USD scenes: what is shown, where it stands, and what it looks like."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.shapes.load import load_asset
from tests.engine.model_samples import CORNERS, PIXELS, SIZE, png, usd_mesh, usda, volume

pytest.importorskip("pxr")

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)


def load(tmp_path, body, **options):
    path = tmp_path / "a.usda"
    path.write_text(usda(body, **options))
    return load_asset(path)


def binary(folder):
    """Write a.usda as a.usdc."""
    from pxr import Sdf

    layer = Sdf.Layer.FindOrOpen(str(folder / "a.usda"))
    assert layer.Export(str(folder / "a.usdc"))


def corner_colors(mesh):
    return mesh.colors[mesh.triangles]


def paint(file, *, extra="", st="</World/paint/r.outputs:result>", more=""):
    """A material whose diffuse colour is a picture."""
    return f"""def Material "paint" {{
    token outputs:surface.connect = </World/paint/s.outputs:surface>
    def Shader "s" {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </World/paint/t.outputs:rgb>
        color3f inputs:emissiveColor = (0, 0, 1)
        float inputs:opacity = 0.5
        token outputs:surface
    }}
    def Shader "t" {{
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @{file}@
        float2 inputs:st.connect = {st}
        {extra}
        float3 outputs:rgb
    }}
    def Shader "r" {{
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname = "coords"
        float2 outputs:result
    }}
    {more}
}}
"""


BOUND = '( prepend apiSchemas = ["MaterialBindingAPI"] )'
COORDS = """rel material:binding = </World/paint>
    texCoord2f[] primvars:coords = [(0, 0), (1, 0), (1, 1), (0, 1)] ( interpolation = "{how}" )
    texCoord2f[] primvars:st = [(7, 7), (7, 7), (7, 7), (7, 7)] ( interpolation = "vertex" )"""


# --- what is shown ----------------------------------------------------------------------------


def test_only_what_a_render_shows(tmp_path):
    body = "".join(
        usd_mesh(name, inside=f'uniform token purpose = "{name}"')
        for name in ("default", "render", "proxy", "guide")
    )
    body += f'def Xform "hidden" {{ token visibility = "invisible"\n{usd_mesh()} }}\n'
    body += f'class "_source" {{ {usd_mesh()} }}\n'
    body += f'over "undefined" {{ {usd_mesh()} }}\n'
    loaded = load(tmp_path, body)
    assert loaded.polygons == 2 * 4
    assert loaded.notes == ()


def test_shapes_without_a_mesh_are_said(tmp_path):
    loaded = load(tmp_path, usd_mesh() + 'def Sphere "ball" {}\n def Cube "box" {}')
    assert loaded.polygons == 4
    assert len(loaded.notes) == 1
    assert "2 shapes that no mesh describes" in loaded.notes[0]


def test_nested_transforms_mirrors_and_left_handed_meshes(tmp_path):
    body = f"""def Xform "a" {{
        float3 xformOp:scale = (-1, 2, 1)
        double3 xformOp:translate = (10, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        def Xform "b" {{
            double3 xformOp:translate = (1, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            {usd_mesh()}
        }}
    }}"""
    mesh = load(tmp_path, body).mesh
    # File x runs from 10 - (1 + 1) to 10 - 1; in the axes of splats it has the other sign.
    assert mesh.vertices.min(axis=0) == pytest.approx([-9, -4, 0])
    assert mesh.vertices.max(axis=0) == pytest.approx([-8, 0, 3])
    assert volume(mesh) == pytest.approx(2.0)
    inside_out = usd_mesh(faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
                          inside='uniform token orientation = "leftHanded"')  # fmt: skip
    assert volume(load(tmp_path, inside_out).mesh) == pytest.approx(1.0)


def test_units_and_up_axis(tmp_path):
    loaded = load(tmp_path, usd_mesh(), unit=0.01, up="Z")
    assert loaded.size == pytest.approx([0.01 * s for s in SIZE])
    assert np.ptp(loaded.mesh.vertices, axis=0) == pytest.approx([0.01, 0.03, 0.02])
    assert -loaded.mesh.vertices[:, 1].min() == pytest.approx(0.03)


def test_instances_are_laid_out(tmp_path):
    (tmp_path / "part.usda").write_text(
        '#usda 1.0\n( defaultPrim = "p" )\ndef Xform "p" {\n' + usd_mesh() + "}"
    )
    body = "".join(
        f"""def "copy{k}" ( instanceable = true
            prepend references = @./part.usda@ ) {{
            double3 xformOp:translate = ({10 * k}, 0, 0)
            float3 xformOp:scale = ({-1 if k == 2 else 1}, 1, 1)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        }}
        """
        for k in range(3)
    )
    loaded = load(tmp_path, body)
    assert loaded.polygons == 3 * 4
    assert loaded.size == pytest.approx((20, 2, 3))
    assert volume(loaded.mesh) == pytest.approx(3.0)


def test_point_instancers_place_their_prototypes_only(tmp_path):
    body = f"""def PointInstancer "forest" {{
        double3 xformOp:translate = (100, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        rel prototypes = [</World/forest/tree>, </World/stone>]
        int[] protoIndices = [0, 1, 0, 0]
        point3f[] positions = [(0, 0, 0), (5, 0, 0), (9, 0, 0), (50, 0, 0)]
        float3[] scales = [(1, 1, 1), (1, 1, 1), (1, 2, 1), (1, 1, 1)]
        int64[] invisibleIds = [3]
        def Xform "tree" {{
            double3 xformOp:translate = (0, 7, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            {usd_mesh()}
        }}
    }}
    def Xform "stone" {{ {usd_mesh()} }}"""
    loaded = load(tmp_path, body)
    # Two trees and a stone, and the stone where it stands by itself.
    assert loaded.polygons == 4 * 4
    tops = sorted(-loaded.mesh.vertices[t, 1].min() for t in loaded.mesh.triangles.reshape(4, -1))
    # The prototype's own shift is scaled with it: 2 (7 + 2).
    assert tops == pytest.approx([2, 2, 9, 18])
    assert loaded.mesh.vertices[:, 0].min() == pytest.approx(-110)


@pytest.mark.parametrize("target", ["</World/forest>", "</World>"])
def test_an_instancer_that_holds_itself_is_refused(tmp_path, target):
    body = f"""def PointInstancer "forest" {{
        rel prototypes = [{target}]
        int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 0), (5, 0, 0)]
    }}
    {usd_mesh()}"""
    with pytest.raises(FileFormatError, match="holds itself"):
        load(tmp_path, body)


def test_references_in_a_circle_end(tmp_path):
    (tmp_path / "b.usda").write_text(
        '#usda 1.0\n( defaultPrim = "World" )\n'
        'def "World" ( prepend references = @./a.usda@ ) {\n' + usd_mesh("other") + "}"
    )
    body = 'def "again" ( prepend references = @./b.usda@ ) {}\n' + usd_mesh()
    assert load(tmp_path, body).polygons >= 4


def test_too_many_instances_of_a_small_mesh_are_refused(tmp_path):
    count = 200_001
    body = f"""def PointInstancer "dust" {{
        rel prototypes = [</World/dust/speck>]
        int[] protoIndices = [{",".join("0" * count)}]
        point3f[] positions = [{",".join(["(0,0,0)"] * count)}]
        {usd_mesh("speck")}
    }}"""
    with pytest.raises(FileFormatError, match="more than 200,000 meshes"):
        load(tmp_path, body)


def test_animation_is_shown_at_its_first_moment(tmp_path):
    body = f"""def Xform "a" {{
        double3 xformOp:translate.timeSamples = {{ 5: (3, 0, 0), 9: (90, 0, 0) }}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        {usd_mesh()}
    }}"""
    mesh = load(tmp_path, body).mesh
    assert mesh.vertices[:, 0].min() == pytest.approx(-4)
    points = ", ".join(f"({x}, {y}, {z})" for x, y, z in CORNERS)
    moved = usd_mesh().replace(
        f"points = [{points}]".replace(".0", ""), f"points.timeSamples = {{ 1: [{points}] }}"
    )
    assert "timeSamples" in moved
    assert load(tmp_path, moved).size == pytest.approx(SIZE)


def test_holes_and_polygons(tmp_path):
    faces = [(0, 1, 2, 3), (0, 2, 3), (3, 1, 0)]
    loaded = load(tmp_path, usd_mesh(corners=SQUARE, faces=faces, inside="int[] holeIndices = [1]"))
    assert loaded.polygons == 2 + 1


@pytest.mark.parametrize(("old", "new"), [
    ("int[] faceVertexCounts = [3,3,3,3]", "int[] faceVertexCounts = [3,3,3,30000000]"),
    ("int[] faceVertexCounts = [3,3,3,3]", "int[] faceVertexCounts = [3,3,3,-3]"),
    ("int[] faceVertexIndices = [0,1,2", "int[] faceVertexIndices = [0,1,200"),
    ("int[] faceVertexIndices = [0,1,2", "int[] faceVertexIndices = [0,1,-2"),
    ("int[] faceVertexIndices = [0,1,2", "int[] faceVertexIndices = [0,1,\"x\""),
])  # fmt: skip
def test_meshes_that_do_not_fit_together_are_refused(tmp_path, old, new):
    body = usd_mesh()
    assert old in body
    with pytest.raises(FileFormatError, match=r"a\.usda"):
        load(tmp_path, body.replace(old, new))


# --- looks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "values", "expected"), [
    ("constant", "(1, 0, 0)", [[0, 0, 0], [0, 0, 0]]),
    ("uniform", "(1, 0, 0), (0, 1, 0)", [[0, 0, 0], [1, 1, 1]]),
    ("vertex", "(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)", [[0, 1, 2], [0, 2, 3]]),
    ("varying", "(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)", [[0, 1, 2], [0, 2, 3]]),
    ("faceVarying", "(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 0, 0)",
     [[0, 1, 2], [1, 3, 0]]),
])  # fmt: skip
def test_display_colours_lie_in_all_five_ways(tmp_path, how, values, expected):
    palette = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    body = usd_mesh(
        corners=SQUARE, faces=[(0, 1, 2), (0, 2, 3)],
        inside=f'color3f[] primvars:displayColor = [{values}] ( interpolation = "{how}" )',
    )  # fmt: skip
    mesh = load(tmp_path, body).mesh
    assert corner_colors(mesh) == pytest.approx(palette[expected], abs=1e-4)


def test_display_colours_are_linear_and_may_be_indexed(tmp_path):
    body = usd_mesh(
        corners=SQUARE, faces=[(0, 1, 2, 3)],
        inside="""color3f[] primvars:displayColor = [(0.2, 0.4, 0.6)] ( interpolation = "vertex" )
        int[] primvars:displayColor:indices = [0, 0, 0, 0]""",
    )  # fmt: skip
    mesh = load(tmp_path, body).mesh
    assert mesh.colors[0] == pytest.approx([0.4845, 0.6652, 0.7977], abs=1e-3)


@pytest.mark.parametrize("how", ["vertex", "faceVarying"])
def test_textures_with_the_coordinates_their_material_names(tmp_path, how):
    (tmp_path / "paint.png").write_bytes(png())
    body = paint("paint.png", extra="float4 inputs:scale = (0.5, 1, 1, 1)")
    body += usd_mesh(
        corners=SQUARE, faces=[(0, 1, 2, 3)], inside=COORDS.format(how=how), before=BOUND
    )
    mesh = load(tmp_path, body).mesh
    material = mesh.materials[0]
    assert np.array_equal(material.texture, PIXELS)
    assert material.color == pytest.approx((0.7354, 1, 1, 0.5), abs=1e-3)
    assert material.emission == pytest.approx((0, 0, 1), abs=1e-3)
    assert mesh.uvs == pytest.approx(mesh.vertices[:, :2] * [-1, -1])
    assert mesh.colors is None


def test_texture_coordinates_may_be_turned(tmp_path):
    (tmp_path / "paint.png").write_bytes(png())
    turn = """def Shader "turn" {
        uniform token info:id = "UsdTransform2d"
        float2 inputs:in.connect = </World/paint/r.outputs:result>
        float inputs:rotation = 90
        float2 inputs:scale = (2, 3)
        float2 inputs:translation = (0.5, 0)
        float2 outputs:result
    }"""
    body = paint("paint.png", st="</World/paint/turn.outputs:result>", more=turn)
    body += usd_mesh(
        corners=SQUARE, faces=[(0, 1, 2, 3)], inside=COORDS.format(how="vertex"), before=BOUND
    )
    mesh = load(tmp_path, body).mesh
    x, y = (mesh.vertices[:, :2] * [-1, -1]).T
    # Scaled, then a quarter turn counter-clockwise, then shifted.
    assert mesh.uvs == pytest.approx(np.stack([0.5 - 3 * y, 2 * x], axis=1), abs=1e-5)


def test_subsets_have_their_own_materials(tmp_path):
    plain = """def Material "{name}" {{
        token outputs:surface.connect = </World/{name}/s.outputs:surface>
        def Shader "s" {{
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = {color}
            token outputs:surface
        }}
    }}
    """
    body = plain.format(name="red", color="(1, 0, 0)") + plain.format(name="blue", color="(0,0,1)")
    subset = """rel material:binding = </World/red>
        uniform token subsetFamily:materialBind:familyType = "nonOverlapping"
        def GeomSubset "part" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {
            uniform token elementType = "face"
            uniform token familyName = "materialBind"
            int[] indices = [1, 3, 99, -1]
            rel material:binding = </World/blue>
        }"""
    mesh = load(tmp_path, body + usd_mesh(inside=subset, before=BOUND)).mesh
    shown = [mesh.materials[k].color[:3] for k in mesh.material_ids]
    assert sorted(np.round(shown, 3).tolist()) == [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0]]
    # The faces with the edge to the top, but not the bottom: 1 and 3.
    blue = mesh.triangles[[color == pytest.approx((0, 0, 1), abs=1e-3) for color in shown]]
    corners = {tuple(np.abs(v).round(3).tolist()) for v in mesh.vertices[blue.reshape(-1)]}
    assert corners == {tuple(map(float, c)) for c in CORNERS}
    assert volume(mesh) == pytest.approx(1.0)


def test_materials_of_other_renderers_leave_the_display_colour(tmp_path):
    body = """def Material "odd" {
        token outputs:surface.connect = </World/odd/s.outputs:surface>
        def Shader "s" { uniform token info:id = "SomethingElse"
            token outputs:surface
        }
    }
    """ + usd_mesh(
        inside="""rel material:binding = </World/odd>
        color3f[] primvars:displayColor = [(1, 0, 0)]""",
        before=BOUND,
    )
    mesh = load(tmp_path, body).mesh
    assert mesh.colors[0] == pytest.approx([1, 0, 0], abs=1e-4)


def test_usdc_and_usdz_with_their_pictures_inside(tmp_path):
    from pxr import Sdf, UsdUtils

    (tmp_path / "paint.png").write_bytes(png())
    body = paint("paint.png") + usd_mesh(
        corners=SQUARE, faces=[(0, 1, 2, 3)], inside=COORDS.format(how="vertex"), before=BOUND
    )
    (tmp_path / "a.usda").write_text(usda(body))
    binary(tmp_path)
    packed = tmp_path / "elsewhere"
    packed.mkdir()
    assert UsdUtils.CreateNewUsdzPackage(
        Sdf.AssetPath(str(tmp_path / "a.usdc")), str(packed / "a.usdz")
    )
    for path in (tmp_path / "a.usdc", packed / "a.usdz"):
        loaded = load_asset(path)
        assert loaded.notes == ()
        assert loaded.format == path.suffix[1:]
        assert np.array_equal(loaded.mesh.materials[0].texture, PIXELS)
    whole = (packed / "a.usdz").read_bytes()
    for share in (0.1, 0.3, 0.5):
        cut = packed / "cut.usdz"
        cut.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(FileFormatError, match=r"cut\.usdz"):
            load_asset(cut)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_binary_files_that_are_cut_short_cost_themselves_only(tmp_path, share):
    (tmp_path / "a.usda").write_text(usda(usd_mesh()))
    binary(tmp_path)
    whole = (tmp_path / "a.usdc").read_bytes()
    cut = tmp_path / "cut.usdc"
    cut.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(FileFormatError, match=r"cut\.usdc"):
        load_asset(cut)
    assert load_asset(tmp_path / "a.usdc").polygons == 4
