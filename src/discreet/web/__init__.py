"""The web app of `discreet serve`: pages for the custodian, the analyst and the reviewer, on this machine only."""
