"""What a scene is: splat clouds, meshes, nodes, documents. Plain data, no drawing, no files."""
