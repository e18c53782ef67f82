"""What data: users and their records, made up or real, as the methods take them."""
