"""What is run: the settings of each paper at a reduced size, and all numbers of one trial."""
