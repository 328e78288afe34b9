"""The container in a library, archives (Model Library Format), and the older module tree."""
