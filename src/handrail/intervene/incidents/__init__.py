"""Emergency stops on record: the record, its report, and how the run can go on."""
