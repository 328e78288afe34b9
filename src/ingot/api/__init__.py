"""Build, link, load: the room that knows all others of the compile side."""
