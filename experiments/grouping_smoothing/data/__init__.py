"""What data: users and their items, made up or real, as the methods take them."""
