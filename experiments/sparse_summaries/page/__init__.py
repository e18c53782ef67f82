"""The page: Markdown and charts, from nothing but the recorded numbers."""

#: the page, its record and its charts are files of this name
STEM = "sparse-summaries"
