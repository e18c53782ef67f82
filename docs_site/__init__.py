"""What is made from docs/: the site, the notebooks of the tutorials, and the picture of the README."""
