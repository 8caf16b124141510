"""The table of all commands: where each is written, what it does in one line, and an example of it.

A new command is a function with ``@takes(…)`` (``cli.usage``) and an entry here, in the group in which people look for it.
"""

from twinwall.values import frozen


@frozen
class Command:
    """Where a command's function is (``module:function``), its line in the overview, and an example of its words."""

    place: str
    summary: str
    example: str


GROUPS: dict[str, str] = {
    "hall": "run a hall: broker, vault, pages, staff, players and certificates",
    "hall staff": "invite, list and withdraw the dashboard's staff",
    "hall players": "list, enter and forget the names of players, who are numbers in ledgers",
    "table": "run one table: its controller, station, phones or simulated world",
    "table phones": "let phones be a table's cameras and keys, each by a code",
    "table simulate": "be a table's physical world: its feeder, cameras or players",
    "tiles": "read tiles, enrol a tile set, calibrate and test cameras",
    "tiles selftest": "compare a camera, the mat or the reading with how they should be",
    "record": "record hands from a video, decode, replay and settle hand records",
    "rules": "print a rule set's options, score hands",
    "deals": "plan, commit, make, open and verify deals",
    "vault": "keep the seeds of a session and give each deal when it is due",
    "results": "compare, export, import, publish, check and back up results",
    "feeder": "simulate a feeder, test one against the protocol, set one up",
    "centre": "run a centre that compares many venues",
    "admin": "check a release, upgrade, sign files, pack a file for remote help",
}

COMMANDS: dict[str, Command] = {
    "demo": Command("cli.demo.command:run", "play at virtual tables, over real wires, and watch it live", "--tables 4 --fast"),
    "hall serve": Command(
        "cli.hall.hall_serve:serve", "run a whole hall on this computer; events are made in the browser", "--tables 8 ~/hall"
    ),
    "hall dashboard": Command("cli.hall.services:dashboard", "serve the dashboard's pages", "--settings dashboard.toml"),
    "hall broker": Command("cli.hall.broker:broker", "run the embedded MQTT broker", "--settings broker.toml"),
    "hall paper": Command("cli.table.paper:run", "run tables without cameras: walls from sheets, scores from phones", "table-07.toml"),
    "hall readiness": Command(
        "cli.hall.readiness:serve", "say whether tables of this computer are ready, for the dashboard", "table.toml --port 8121"
    ),
    "hall certificates": Command(
        "cli.hall.hall:certificates",
        "make the hall's authority, and the certificates of broker, dashboard, vault and tables",
        "--settings dashboard.toml --out certificates --host hall.local",
    ),
    "hall enrol": Command(
        "cli.hall.enrol:enrol",
        "show a code of one use by which a table gets its certificate and settings",
        "--settings dashboard.toml --certificates certificates --table 7 --listen 192.168.1.10",
    ),
    "hall mosquitto": Command(
        "cli.hall.hall:mosquitto",
        "write Mosquitto's configuration and access file: certificates, default deny",
        "--settings dashboard.toml --certificates certificates --listen 192.168.1.10 --out /etc/twinwall",
    ),
    "hall staff invite": Command(
        "cli.event.staff:invite",
        "print a link of one use with which a person chooses a password; also for a lost one",
        "'Li Na' --role referee --settings dashboard.toml",
    ),
    "hall staff list": Command(
        "cli.event.staff:list_staff", "say who has an account, as what, and who has still to use the link", "--settings dashboard.toml"
    ),
    "hall staff revoke": Command(
        "cli.event.staff:revoke", "withdraw an account at once: its sessions end", "'Li Na' --settings dashboard.toml"
    ),
    "hall staff password": Command(
        "cli.event.staff:password", "give an account another password: its sessions end", "'Li Na' --settings dashboard.toml"
    ),
    "hall players list": Command("cli.event.players:list_players", "print number and name of each player", "--settings dashboard.toml"),
    "hall players name": Command(
        "cli.event.players:name_player", "enter or correct the name of a player", "12 'Li Na' --settings dashboard.toml"
    ),
    "hall players forget": Command(
        "cli.event.players:forget", "take a name out: pages show the number from then on", "12 --settings dashboard.toml"
    ),
    "table run": Command("cli.table.table:run", "run one table's controller", "--settings table.toml"),
    "table station": Command(
        "cli.table.station:run", "be the feeder of a table that has none: tell a person where each tile goes", "--settings station.toml"
    ),
    "table join": Command(
        "cli.table.join:join_hall",
        "get this table's certificate and settings by the code that the hall shows",
        "192.168.1.10 --out /etc/twinwall",
    ),
    "table renew": Command(
        "cli.event.custody:renew", "make new boot keys, which count when a person has allowed them", "--settings table.toml"
    ),
    "table continue": Command(
        "cli.table.replacing:continue_table",
        "at a table's new controller: go on for one that was lost with its disk",
        "order.json --settings table.toml",
    ),
    "table phones serve": Command(
        "cli.table.phones:serve", "serve the phones' page, and their cameras and keys on loopback", "--settings phones.toml"
    ),
    "table phones code": Command(
        "cli.table.phones:code", "show a code by which one phone takes a role, once, within five minutes", "1/gate --settings phones.toml"
    ),
    "table phones dismiss": Command("cli.table.phones:dismiss", "take a role from the phone that has it", "1/gate --settings phones.toml"),
    "table phones list": Command(
        "cli.table.phones:list_phones", "say which role has a phone, and what the phones say of themselves", "--settings phones.toml"
    ),
    "table simulate world": Command(
        "cli.table.simulate:world",
        "tables with their tiles, feeders on pseudo-terminals and pins of their panels",
        "--settings table-1/world.toml table-2/world.toml",
    ),
    "table simulate cameras": Command(
        "cli.table.simulate:cameras", "the gate cameras and overhead cameras of some tables, over HTTP", "--settings cameras.toml"
    ),
    "table simulate players": Command("cli.table.simulate:players", "four players at each of some tables", "--settings players.toml"),
    "table simulate tables": Command(
        "cli.table.simulate:tables",
        "tables without physics that have joined a hall: their ledgers are real, no tile moves",
        "table-07.toml",
    ),
    "tiles enrol": Command(
        "cli.tiles.enrol:run", "make the profile of a tile set from its own tiles", "--from pictures --out green-set.json"
    ),
    "tiles read": Command("cli.tiles.vision:read", "read the tile on each picture", "tile.jpg --profile green-set.json"),
    "tiles evaluate": Command(
        "cli.tiles.vision:evaluate", "measure the reader on a folder of labelled crops", "crops --profile green-set.json"
    ),
    "tiles calibrate": Command(
        "cli.tiles.calibrate:calibrate",
        "write down how a camera sees today, or print the mat's markers",
        "--camera gate --settings table.toml --out gate.json",
    ),
    "tiles selftest camera": Command(
        "cli.tiles.calibrate:test_camera", "focus, light, noise, dirt and place of a camera", "--settings table.toml"
    ),
    "tiles selftest mat": Command("cli.tiles.calibrate:check_mat", "how the sheets or markers of a mat lie", "--settings table.toml"),
    "tiles selftest tiles": Command(
        "cli.tiles.calibrate:test_tiles", "kinds that are read less surely than they were", "--settings table.toml"
    ),
    "record video": Command(
        "cli.rules.video:record",
        "record the hands of a video, a folder of frames or a camera over any table; twinwall record SOURCE is the same",
        "table.mp4 --rules mcr-duplicate --out hand.json",
    ),
    "record answer": Command(
        "cli.rules.answer:answer", "answer the questions of recorded hands in the browser, and see their replay", "evening --out hand.json"
    ),
    "record decode": Command(
        "cli.rules.record:decode", "decode what camera, gates and keys reported of a hand into its hand record", "observations.json --json"
    ),
    "record replay": Command("cli.rules.replay:run", "play a hand record again by the rules and check its scores", "hand.json --steps"),
    "record settle": Command(
        "cli.rules.settle:settle", "say of a hand record what each event is and who pays whom", "--rules mcr-duplicate --json < hand.json"
    ),
    "rules show": Command("cli.rules.rules:show", "print the options of a rule set with their meaning", "mcr-duplicate"),
    "rules score": Command("cli.rules.score:score", "score hands, one JSON object per line", "--rules mcr-duplicate --json < hands.jsonl"),
    "deals plan": Command(
        "cli.event.deals:plan",
        "write the plan of an event's deals",
        "--event 'Club evening' --rules mcr-duplicate --sessions 1 --out plan.json",
    ),
    "deals commit": Command(
        "cli.event.deals:commit_deals",
        "write the commitments that are published before the public value",
        "plan.json --seed server=seed.bin --out commitments.json",
    ),
    "deals make": Command(
        "cli.event.deals:make",
        "write all deals in the clear, for rehearsals and tests",
        "plan.json --seed server=seed.bin --public '2026-11-20 12:00 UTC' --out deals",
    ),
    "deals slip": Command(
        "cli.event.deals:slip",
        "write the slip that opens one deal",
        "plan.json 7 --seed server=seed.bin --public '2026-11-20 12:00 UTC' --out slip-0007.json",
    ),
    "deals start": Command(
        "cli.event.starts:start",
        "fix plan, root and public value as the event's start, and print its code",
        "plan.json --commitments commitments.json --public '2026-11-20 12:00 UTC' --out start.json",
    ),
    "deals sheet": Command("cli.event.start_sheet:run", "write the start code as a page to print", "plan.json start.json --out start.html"),
    "deals verify": Command(
        "cli.event.deals:verify",
        "re-make deals from slips or seeds and compare them with the event's start",
        "plan.json --start start.json slip-0007.json",
    ),
    "deals reveal": Command(
        "cli.event.deals:reveal", "write the deal that a slip opens, re-made and verified", "plan.json slip-0007.json --start start.json"
    ),
    "vault run": Command(
        "cli.event.vault:run", "keep a holder's seed and give his share of each deal when it is due", "--settings vault.toml"
    ),
    "vault key": Command(
        "cli.event.custody:key", "print the public key of a signing key's file, which is made if it is not there", "table-07.key"
    ),
    "vault seed": Command(
        "cli.event.custody:make_seed", "make a holder's seed, encrypted with a passphrase", "--holder server --out server.seed"
    ),
    "vault part": Command(
        "cli.event.custody:part",
        "write a holder's part of the commitments, on the machine where his seed stays",
        "plan.json --seed witness.seed --out witness-part.json",
    ),
    "vault commit": Command(
        "cli.event.custody:commit",
        "write the commitments from encrypted seeds, and from other holders' parts",
        "plan.json --seed server.seed --part witness-part.json --out commitments.json",
    ),
    "vault reveal": Command(
        "cli.event.custody:reveal", "write a seed's raw bytes, to publish it after the event", "server.seed --out server.bin"
    ),
    "vault status": Command(
        "cli.event.custody:status", "say which table has which deals, as the running vault has written it down", "--settings vault.toml"
    ),
    "vault allow": Command(
        "cli.event.custody:allow",
        "let a table use the boot keys that it shows, its first ones or those after a power cut",
        "7 '1f3a 90c2 77e0 5b1d' --settings vault.toml",
    ),
    "vault revoke": Command(
        "cli.event.custody:revoke",
        "take its boot keys from a table, for good: it needs new ones, which a person allows",
        "7 --settings vault.toml",
    ),
    "vault withdraw": Command("cli.event.custody:withdraw", "wait no longer for a table that plays no more", "7 --settings vault.toml"),
    "vault sheets": Command(
        "cli.event.sheets:sheets",
        "print the building sheets of a table without cameras, under the passphrase",
        "7 --settings vault.toml --printer office",
    ),
    "results compare": Command(
        "cli.event.compare:compare_results", "compare the results of the same deals at several tables, in IMP", "results.csv --team"
    ),
    "results export": Command(
        "cli.forms.export:export",
        "write released deals as results, hand records, a bundle, or for other programs",
        "event.sqlite --format csv --out results.csv",
    ),
    "results import": Command(
        "cli.forms.import_hands:import_hands", "read hands of other programs into hand records and deals", "hands.pmn --out records.json"
    ),
    "results publish": Command("cli.event.publish:publish", "write the results as pages for a club's own site", "event.sqlite --out pages"),
    "results check": Command(
        "cli.event.event:check",
        "recompute everything from an event's store, and compare it with the tables' ledgers",
        "event.sqlite --ledger table-07/events.jsonl",
    ),
    "results backup": Command(
        "cli.event.event:back_up", "copy a store into a new file or schema, while the dashboard writes to it", "event.sqlite copy.sqlite"
    ),
    "results restore": Command(
        "cli.event.event:restore", "put a backup in a store's place, while the dashboard is ended", "copy.sqlite event.sqlite"
    ),
    "results rebuild": Command(
        "cli.event.event:rebuild_store",
        "make a store from the tables' ledgers and the released slips",
        "new.sqlite --settings dashboard.toml --ledger table-07/events.jsonl --slip slip-0007.json",
    ),
    "verify": Command(
        "cli.event.verify:verify",
        "prove an evening from its bundle, under a start code that you know",
        "evening.zip --start 5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92",
    ),
    "feeder simulate": Command("cli.feeder.feeder:simulate_feeder", "serve the simulated feeder until Ctrl-C", "--speed 20"),
    "feeder check": Command("cli.feeder.feeder_check:check_feeder", "hold a feeder to the protocol, rule by rule", "/dev/ttyACM0"),
    "feeder link": Command("cli.feeder.feeder_link:measure", "measure the line to a feeder", "/dev/ttyACM0 --seconds 60"),
    "feeder pins": Command("cli.feeder.pins:show_pins", "show every input of a board, and drive one output at a time", "/dev/ttyACM0"),
    "feeder bring-up": Command(
        "cli.feeder.bring_up:bring_up",
        "go through the wires of a new board, one by one, with a record",
        "/dev/ttyACM0 --record table-07.json --by Aiko",
    ),
    "feeder record": Command(
        "cli.feeder.feeder_record:make_or_read",
        "write what a board is to remember of its table, or read it",
        "--uid TABLE-07 --out table-07.eep",
    ),
    "feeder test-deal": Command(
        "cli.feeder.feeder_test_deal:run_test_deals",
        "build a wall, read every tile again, and say what differs",
        "--settings table.toml --deals 4",
    ),
    "centre consume": Command(
        "centre.commands.consume:consume",
        "write what a share of the venues sends into the centre's store",
        "--settings centre.toml --share 1/2",
    ),
    "centre files": Command(
        "centre.commands.deploy:write_files",
        "write the configuration of the centre's brokers and databases and of each venue's gateway",
        "--broker mq1 --database db1 --etcd db1:2379 --venue kyoto --out files",
    ),
    "centre publish": Command(
        "centre.commands.publish_world:publish",
        "keep the ranking pages of all venues as files",
        "--settings centre.toml --out pages --nginx publish.sock",
    ),
    "centre progress": Command("centre.commands.progress:run", "say how far the store is with each venue", "--settings centre.toml"),
    "centre withdraw": Command(
        "centre.commands.field_orders:withdraw",
        "wait no longer for a venue; two persons order it",
        "kyoto --settings centre.toml --by 'Li Na' --key li-na.key",
    ),
    "centre annul": Command(
        "centre.commands.field_orders:annul",
        "let a deal count nowhere, or not at one venue; two persons order it",
        "7 --settings centre.toml --by 'Li Na' --key li-na.key",
    ),
    "centre vault": Command(
        "centre.commands.field_vault:run", "keep a holder's seed and give his shares to the venues' vaults", "--settings field-vault.toml"
    ),
    "centre allow": Command(
        "centre.commands.field_vault:allow",
        "let a venue's vault use the sealing key that it shows",
        "kyoto '1f3a 90c2 77e0 5b1d' --settings field-vault.toml",
    ),
    "admin check-release": Command(
        "cli.table.release:check", "check a release before it is installed", f"release --signer 'Li Na {'0123456789abcdef' * 4}'"
    ),
    "admin upgrade": Command(
        "cli.table.upgrade:upgrade_program", "put a newer package in this program's place", "twinwall_1.0.0_amd64.deb --look"
    ),
    "admin sign": Command(
        "cli.event.sign:run", "make a person's signing key, sign a file, check a signature", "scale.toml --key li-na.key"
    ),
    "admin pack": Command(
        "cli.table.service:pack_service_file",
        "pack what remote help needs, without secrets and tiles",
        "--settings table.toml --out help.zip",
    ),
}
