class Session:
    username: str | None
    password: str | None
    client_id: str | None
    will_flag: bool
    will_topic: str | None
