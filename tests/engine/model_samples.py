"""Small model files of formats that only other people's libraries write, made by hand."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np
from PIL import Image

# A tetrahedron, counter-clockwise from outside; its sizes along x, y and z differ.
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 3], [0, 2, 0]], np.float64)
FACES = ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2))
SIZE = (1.0, 2.0, 3.0)
PIXELS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [10, 20, 30]]], np.uint8)


def volume(mesh):
    """Positive where triangles are counter-clockwise from outside."""
    a, b, c = np.moveaxis(mesh.vertices.astype(float)[mesh.triangles], 1, 0)
    return np.einsum("tc,tc->", a, np.cross(b, c)) / 6


def png(pixels=PIXELS):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def _list(values):
    return ",".join(f"{v:g}" for v in np.ravel(values))


def fbx(
    corners=CORNERS, faces=FACES, *, color=(0.2, 0.4, 0.6), texture=None, unit=100.0, up=1,
    scaling=(1, 1, 1), creator="some program", relative=True,
):  # fmt: skip
    """Text of an FBX file of one mesh; `up` is the number of its up axis, `unit` in cm."""
    order = [v if k < len(face) - 1 else -v - 1 for face in faces for k, v in enumerate(face)]
    uvs = [(corners[v][0], corners[v][1]) for face in faces for v in face]
    front, coord = (2, 0) if up == 1 else (1, 0)
    sign = 1 if up == 1 else -1
    picture = named = ""
    if texture is not None:
        named = f'RelativeFilename: "{texture if relative else ""}"'
        picture = f"""
    Texture: 400, "Texture::paint", "" {{
        Type: "TextureVideoClip"
        Version: 202
        TextureName: "Texture::paint"
        FileName: "{texture}"
        {named}
    }}"""
    joined = 'C: "OP",400,300, "DiffuseColor"' if texture is not None else ""
    return f"""; FBX 7.3.0 project file
FBXHeaderExtension:  {{
    FBXHeaderVersion: 1003
    FBXVersion: 7300
    Creator: "{creator}"
}}
GlobalSettings:  {{
    Version: 1000
    Properties70:  {{
        P: "UpAxis", "int", "Integer", "",{up}
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",{front}
        P: "FrontAxisSign", "int", "Integer", "",{sign}
        P: "CoordAxis", "int", "Integer", "",{coord}
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",{unit}
    }}
}}
Objects:  {{
    Geometry: 100, "Geometry::shape", "Mesh" {{
        Vertices: *{np.size(corners)} {{
            a: {_list(corners)}
        }}
        PolygonVertexIndex: *{len(order)} {{
            a: {_list(order)}
        }}
        GeometryVersion: 124
        LayerElementUV: 0 {{
            Version: 101
            Name: "UVMap"
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "Direct"
            UV: *{np.size(uvs)} {{
                a: {_list(uvs)}
            }}
        }}
        LayerElementMaterial: 0 {{
            Version: 101
            Name: ""
            MappingInformationType: "AllSame"
            ReferenceInformationType: "IndexToDirect"
            Materials: *1 {{
                a: 0
            }}
        }}
        Layer: 0 {{
            Version: 100
            LayerElement:  {{
                Type: "LayerElementUV"
                TypedIndex: 0
            }}
            LayerElement:  {{
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }}
        }}
    }}
    Model: 200, "Model::shape", "Mesh" {{
        Version: 232
        Properties70:  {{
            P: "Lcl Scaling", "Lcl Scaling", "", "A",{_list(scaling)}
        }}
    }}
    Material: 300, "Material::paint", "" {{
        Version: 102
        ShadingModel: "phong"
        Properties70:  {{
            P: "DiffuseColor", "Color", "", "A",{_list(color)}
        }}
    }}{picture}
}}
Connections:  {{
    C: "OO",200,0
    C: "OO",100,200
    C: "OO",300,200
    {joined}
}}
"""


def dae(corners=CORNERS, faces=FACES, *, unit=1.0, up="Y_UP", color=(0.2, 0.4, 0.6)):
    """Text of a Collada file of one mesh."""
    sizes = " ".join(str(len(face)) for face in faces)
    order = " ".join(str(v) for face in faces for v in face)
    numbers = " ".join(f"{v:g}" for v in np.ravel(corners))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="unit" meter="{unit}"/><up_axis>{up}</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert>
    <diffuse><color>{" ".join(map(str, color))} 1</color></diffuse>
  </lambert></technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="m" name="m"><instance_effect url="#e"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="{np.size(corners)}">{numbers}</float_array>
      <technique_common><accessor source="#a" count="{len(corners)}" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist material="m" count="{len(faces)}">
      <input semantic="VERTEX" source="#v" offset="0"/>
      <vcount>{sizes}</vcount><p>{order}</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g">
    <bind_material><technique_common><instance_material symbol="m" target="#m"/>
    </technique_common></bind_material></instance_geometry></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def three_mf(corners=CORNERS, faces=FACES):
    """Bytes of a 3MF package of one mesh."""
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in corners)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces)
    model = f"""<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
<resources><object id="1" type="model"><mesh><vertices>{vertices}</vertices>
<triangles>{triangles}</triangles></mesh></object></resources>
<build><item objectid="1"/></build></model>"""
    relations = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/3dmodel.model" Id="r"
 Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("_rels/.rels", relations)
        archive.writestr("3D/3dmodel.model", model)
    return buffer.getvalue()


def three_ds(corners=CORNERS, faces=FACES):
    """Bytes of a 3DS file of one mesh."""

    def chunk(number, body):
        return struct.pack("<HI", number, 6 + len(body)) + body

    points = struct.pack("<H", len(corners)) + np.asarray(corners, "<f4").tobytes()
    rows = b"".join(struct.pack("<4H", *face, 7) for face in faces)
    mesh = chunk(0x4110, points) + chunk(0x4120, struct.pack("<H", len(faces)) + rows)
    edited = chunk(0x4000, b"shape\0" + chunk(0x4100, mesh))
    return chunk(0x4D4D, chunk(0x0002, struct.pack("<I", 3)) + chunk(0x3D3D, edited))


USDA = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = {unit}
    upAxis = "{up}"
)
def Xform "World"
{{
{body}
}}
"""


def usda(body, *, unit=1.0, up="Y"):
    """Text of a USD file; `body` stands in its root prim."""
    return USDA.format(body=body, unit=unit, up=up)


def usd_mesh(name="shape", corners=CORNERS, faces=FACES, inside="", before=""):
    """Text of a USD mesh; `inside` are further properties, `before` its metadata."""
    points = ", ".join(f"({x:g}, {y:g}, {z:g})" for x, y, z in corners)
    return f"""def Mesh "{name}" {before}
{{
    point3f[] points = [{points}]
    int[] faceVertexCounts = [{_list([len(f) for f in faces])}]
    int[] faceVertexIndices = [{_list([v for f in faces for v in f])}]
    {inside}
}}
"""


def _value(value):
    """A value of a binary FBX file."""
    if isinstance(value, bytes):
        return b"R" + struct.pack("<I", len(value)) + value
    if isinstance(value, str):
        return b"S" + struct.pack("<I", len(value)) + value.encode()
    if isinstance(value, float):
        return b"D" + struct.pack("<d", value)
    if isinstance(value, np.int32):
        return b"I" + struct.pack("<i", value)
    if isinstance(value, int):
        return b"L" + struct.pack("<q", value)
    array = np.asarray(value)
    kind = b"d" if array.dtype.kind == "f" else b"i"
    data = array.astype("<f8" if kind == b"d" else "<i4").tobytes()
    return kind + struct.pack("<III", array.size, 0, len(data)) + data


def _node(start, wide, name, values, inside):
    head = struct.Struct("<QQQB" if wide else "<IIIB")
    packed = b"".join(map(_value, values))
    data = name.encode() + packed
    for child in inside:
        data += _node(start + head.size + len(data), wide, *child)
    if inside:
        data += bytes(head.size)
    end = start + head.size + len(data)
    return head.pack(end, len(values), len(packed), len(name)) + data


def binary_fbx(picture=None, *, version=7400, corners=CORNERS, faces=FACES):
    """Bytes of a binary FBX file of one mesh whose picture lies inside."""
    order = [v if k < len(face) - 1 else -v - 1 for face in faces for k, v in enumerate(face)]
    uvs = np.array([corners[v][:2] for face in faces for v in face], float).ravel()
    zero = np.int32(0)
    uv_layer = [("MappingInformationType", ["ByPolygonVertex"], []),
                ("ReferenceInformationType", ["Direct"], []), ("UV", [uvs], [])]  # fmt: skip
    all_same = [("MappingInformationType", ["AllSame"], []),
                ("ReferenceInformationType", ["IndexToDirect"], []),
                ("Materials", [np.array([0])], [])]  # fmt: skip
    elements = [
        ("LayerElement", [], [("Type", [kind], []), ("TypedIndex", [zero], [])])
        for kind in ("LayerElementUV", "LayerElementMaterial")
    ]
    shape = [("Vertices", [np.ravel(corners).astype(float)], []),
             ("PolygonVertexIndex", [np.array(order)], []),
             ("LayerElementUV", [zero], uv_layer), ("LayerElementMaterial", [zero], all_same),
             ("Layer", [zero], elements)]  # fmt: skip
    objects = [("Geometry", [1001, "shape\0\1Geometry", "Mesh"], shape),
               ("Model", [2001, "shape\0\1Model", "Mesh"], [("Version", [zero + 232], [])]),
               ("Material", [3001, "paint\0\1Material", ""], [("Version", [zero + 102], [])]),
               ]  # fmt: skip
    links = [("C", ["OO", 2001, 0], []), ("C", ["OO", 1001, 2001], []),
             ("C", ["OO", 3001, 2001], [])]  # fmt: skip
    if picture is not None:
        objects += [
            ("Texture", [4001, "paint\0\1Texture", ""], [("RelativeFilename", ["p.png"], [])]),
            ("Video", [5001, "paint\0\1Video", "Clip"],
             [("RelativeFilename", ["p.png"], []), ("Content", [picture], [])]),
        ]  # fmt: skip
        links += [("C", ["OP", 4001, 3001, "DiffuseColor"], []), ("C", ["OO", 5001, 4001], [])]
    header = [("FBXVersion", [np.int32(version)], []), ("Creator", ["some program"], [])]
    data = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    for top in (("FBXHeaderExtension", [], header), ("Objects", [], objects),
                ("Connections", [], links)):  # fmt: skip
        data += _node(len(data), version >= 7500, *top)
    return data + bytes(200)
