"""What `plan` is made of: classes of questions, stand-ins for data, rehearsals, and the way from error to epsilon."""
