"""Which method for which job: every method of a task on made-up data for it, by the custodian's own evaluation."""
