"""Actions of directors and referees: functions with a result, for both pages and API."""
