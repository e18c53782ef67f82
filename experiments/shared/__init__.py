"""What two or more of the papers use: data, errors of ranges, records, findings, charts, pages, the program."""
