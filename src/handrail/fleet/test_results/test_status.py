"""Tell how many tests passed and failed in a verify command, if it says so anywhere."""

from collections.abc import Sequence

from handrail.fleet.test_results.junit_reports import read_reports
from handrail.fleet.test_results.suite_result import SuiteResult
from handrail.fleet.test_results.test_summaries import read_summaries


def read_test_status(
    output: str, folder: str, since: float, reports: Sequence[str] = ()
) -> SuiteResult | None:
    """Read the result from JUnit reports written since the command began, else from its output.

    `since`: seconds since 1970; `reports`: globs of the report files, relative to the folder.
    None: unknown.
    """
    reported = read_reports(folder, since, reports)
    if reported is not None and reported.total:
        return reported
    return read_summaries(output) or reported
