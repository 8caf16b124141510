"""What a director or a referee does: functions with a result, under the pages and the API alike."""
