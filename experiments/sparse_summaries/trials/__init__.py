"""What is run: the errors of subset queries, times and sizes, figure by figure."""
