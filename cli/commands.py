"""The table of all commands: where each is written, what it does in one line, and an example of it. A new command is a function with
``@takes(…)`` (``cli.usage``) and an entry here, in the group in which people look for it."""

from collections.abc import Iterator

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

_LISTED = """
demo: play at virtual tables, over real wires, and watch it live
    cli.demo.command:run | --tables 4 --fast
hall serve: run a whole hall on this computer; events are made in the browser
    cli.hall.hall_serve:serve | --tables 8 ~/hall
hall dashboard: serve the dashboard's pages
    cli.hall.dashboard:dashboard | --settings dashboard.toml
hall broker: run the embedded MQTT broker
    cli.hall.broker:broker | --settings broker.toml
hall paper: run tables without cameras: walls from sheets, scores from phones
    cli.table.paper:run | table-07.toml
hall readiness: say whether tables of this computer are ready, for the dashboard
    cli.hall.readiness:serve | table.toml --port 8121
hall certificates: make the hall's authority, and the certificates of broker, dashboard, vault and tables
    cli.hall.hall:certificates | --settings dashboard.toml --out certificates --host hall.local
hall enrol: show a code of one use by which a table gets its certificate and settings
    cli.hall.enrol:enrol | --settings dashboard.toml --certificates certificates --table 7 --listen 192.168.1.10
hall mosquitto: write Mosquitto's configuration and access file: certificates, default deny
    cli.hall.hall:mosquitto | --settings dashboard.toml --certificates certificates --listen 192.168.1.10 --out /etc/twinwall
hall staff invite: print a link of one use with which a person chooses a password; also for a lost one
    cli.event.staff:invite | 'Li Na' --role referee --settings dashboard.toml
hall staff list: say who has an account, as what, and who has still to use the link
    cli.event.staff:list_staff | --settings dashboard.toml
hall staff revoke: withdraw an account at once: its sessions end
    cli.event.staff:revoke | 'Li Na' --settings dashboard.toml
hall staff password: give an account another password: its sessions end
    cli.event.staff:password | 'Li Na' --settings dashboard.toml
hall players list: print number and name of each player
    cli.event.players:list_players | --settings dashboard.toml
hall players name: enter or correct the name of a player
    cli.event.players:name_player | 12 'Li Na' --settings dashboard.toml
hall players forget: take a name out: pages show the number from then on
    cli.event.players:forget | 12 --settings dashboard.toml
table run: run one table's controller
    cli.table.table:run | --settings table.toml
table station: be the feeder of a table that has none: tell a person where each tile goes
    cli.table.station:run | --settings station.toml
table join: get this table's certificate and settings by the code that the hall shows
    cli.table.join:join_hall | 192.168.1.10 --out /etc/twinwall
table renew: make new boot keys, which count when a person has allowed them
    cli.event.custody:renew | --settings table.toml
table continue: at a table's new controller: go on for one that was lost with its disk
    cli.table.replacing:continue_table | order.json --settings table.toml
table phones serve: serve the phones' page, and their cameras and keys on loopback
    cli.table.phones:serve | --settings phones.toml
table phones code: show a code by which one phone takes a role, once, within five minutes
    cli.table.phones:code | 1/gate --settings phones.toml
table phones dismiss: take a role from the phone that has it
    cli.table.phones:dismiss | 1/gate --settings phones.toml
table phones list: say which role has a phone, and what the phones say of themselves
    cli.table.phones:list_phones | --settings phones.toml
table simulate world: tables with their tiles, feeders on pseudo-terminals and pins of their panels
    cli.table.simulate:world | --settings table-1/world.toml table-2/world.toml
table simulate cameras: the gate cameras and overhead cameras of some tables, over HTTP
    cli.table.simulate:cameras | --settings cameras.toml
table simulate players: four players at each of some tables
    cli.table.simulate:players | --settings players.toml
table simulate tables: tables without physics that have joined a hall: their ledgers are real, no tile moves
    cli.table.simulate:tables | table-07.toml
tiles enrol: make the profile of a tile set from its own tiles
    cli.tiles.enrol:run | --from pictures --out green-set.json
tiles read: read the tile on each picture
    cli.tiles.read:read | tile.jpg --profile green-set.json
tiles evaluate: measure the reader on a folder of labelled crops
    cli.tiles.read:evaluate | crops --profile green-set.json
tiles calibrate: write down how a camera sees today, or print the mat's markers
    cli.tiles.calibrate:calibrate | --camera gate --settings table.toml --out gate.json
tiles selftest camera: focus, light, noise, dirt and place of a camera
    cli.tiles.calibrate:test_camera | --settings table.toml
tiles selftest mat: how the sheets or markers of a mat lie
    cli.tiles.calibrate:check_mat | --settings table.toml
tiles selftest tiles: kinds that are read less surely than they were
    cli.tiles.calibrate:test_tiles | --settings table.toml
record video: record the hands of a video, a folder of frames or a camera over any table; twinwall record SOURCE is the same
    cli.rules.video:record | table.mp4 --rules mcr-duplicate --out hand.json
record answer: answer the questions of recorded hands in the browser, and see their replay
    cli.rules.answer:answer | evening --out hand.json
record decode: decode what camera, gates and keys reported of a hand into its hand record
    cli.rules.record:decode | observations.json --json
record replay: play a hand record again by the rules and check its scores
    cli.rules.replay:run | hand.json --steps
record settle: say of a hand record what each event is and who pays whom
    cli.rules.score:settle | --rules mcr-duplicate --json < hand.json
rules show: print the options of a rule set with their meaning
    cli.rules.rules:show | mcr-duplicate
rules score: score hands, one JSON object per line
    cli.rules.score:score | --rules mcr-duplicate --json < hands.jsonl
deals plan: write the plan of an event's deals
    cli.event.deals:plan | --event 'Club evening' --rules mcr-duplicate --sessions 1 --out plan.json
deals commit: write the commitments that are published before the public value
    cli.event.deals:commit_deals | plan.json --seed server=seed.bin --out commitments.json
deals make: write all deals in the clear, for rehearsals and tests
    cli.event.deals:make | plan.json --seed server=seed.bin --public '2026-11-20 12:00 UTC' --out deals
deals slip: write the slip that opens one deal
    cli.event.deals:slip | plan.json 7 --seed server=seed.bin --public '2026-11-20 12:00 UTC' --out slip-0007.json
deals start: fix plan, root and public value as the event's start, and print its code
    cli.event.starts:start | plan.json --commitments commitments.json --public '2026-11-20 12:00 UTC' --out start.json
deals sheet: write the start code as a page to print
    cli.event.start_sheet:run | plan.json start.json --out start.html
deals verify: re-make deals from slips or seeds and compare them with the event's start
    cli.event.deals:verify | plan.json --start start.json slip-0007.json
deals reveal: write the deal that a slip opens, re-made and verified
    cli.event.deals:reveal | plan.json slip-0007.json --start start.json
vault run: keep a holder's seed and give his share of each deal when it is due
    cli.event.vault:run | --settings vault.toml
vault key: print the public key of a signing key's file, which is made if it is not there
    cli.event.custody:key | table-07.key
vault seed: make a holder's seed, encrypted with a passphrase
    cli.event.custody:make_seed | --holder server --out server.seed
vault part: write a holder's part of the commitments, on the machine where his seed stays
    cli.event.custody:part | plan.json --seed witness.seed --out witness-part.json
vault commit: write the commitments from encrypted seeds, and from other holders' parts
    cli.event.custody:commit | plan.json --seed server.seed --part witness-part.json --out commitments.json
vault reveal: write a seed's raw bytes, to publish it after the event
    cli.event.custody:reveal | server.seed --out server.bin
vault status: say which table has which deals, as the running vault has written it down
    cli.event.custody:status | --settings vault.toml
vault allow: let a table use the boot keys that it shows, its first ones or those after a power cut
    cli.event.custody:allow | 7 '1f3a 90c2 77e0 5b1d' --settings vault.toml
vault revoke: take its boot keys from a table, for good: it needs new ones, which a person allows
    cli.event.custody:revoke | 7 --settings vault.toml
vault withdraw: wait no longer for a table that plays no more
    cli.event.custody:withdraw | 7 --settings vault.toml
vault sheets: print the building sheets of a table without cameras, under the passphrase
    cli.event.sheets:sheets | 7 --settings vault.toml --printer office
results compare: compare the results of the same deals at several tables, in IMP
    cli.event.compare:compare_results | results.csv --team
results export: write released deals as results, hand records, a bundle, or for other programs
    cli.forms.export:export | event.sqlite --format csv --out results.csv
results import: read hands of other programs into hand records and deals
    cli.forms.import_hands:import_hands | hands.pmn --out records.json
results publish: write the results as pages for a club's own site
    cli.event.publish:publish | event.sqlite --out pages
results check: recompute everything from an event's store, and compare it with the tables' ledgers
    cli.event.results_store:check | event.sqlite --ledger table-07/events.jsonl
results backup: copy a store into a new file or schema, while the dashboard writes to it
    cli.event.results_store:back_up | event.sqlite copy.sqlite
results restore: put a backup in a store's place, while the dashboard is ended
    cli.event.results_store:restore | copy.sqlite event.sqlite
results rebuild: make a store from the tables' ledgers and the released slips
    cli.event.results_store:rebuild_store | new.sqlite --settings dashboard.toml --ledger table-07/events.jsonl --slip slip-0007.json
verify: prove an evening from its bundle, under a start code that you know
    cli.event.verify:verify | evening.zip --start 5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92
feeder simulate: serve the simulated feeder until Ctrl-C
    cli.feeder.feeder:simulate_feeder | --speed 20
feeder check: hold a feeder to the protocol, rule by rule
    cli.feeder.feeder_check:check_feeder | /dev/ttyACM0
feeder link: measure the line to a feeder
    cli.feeder.feeder_link:measure | /dev/ttyACM0 --seconds 60
feeder pins: show every input of a board, and drive one output at a time
    cli.feeder.pins:show_pins | /dev/ttyACM0
feeder bring-up: go through the wires of a new board, one by one, with a record
    cli.feeder.bring_up:bring_up | /dev/ttyACM0 --record table-07.json --by Aiko
feeder record: write what a board is to remember of its table, or read it
    cli.feeder.feeder_record:make_or_read | --uid TABLE-07 --out table-07.eep
feeder test-deal: build a wall, read every tile again, and say what differs
    cli.feeder.feeder_test_deal:run_test_deals | --settings table.toml --deals 4
centre consume: write what a share of the venues sends into the centre's store
    centre.commands.consume:consume | --settings centre.toml --share 1/2
centre files: write the configuration of the centre's brokers and databases and of each venue's gateway
    centre.commands.deploy:write_files | --broker mq1 --database db1 --etcd db1:2379 --venue kyoto --out files
centre publish: keep the ranking pages of all venues as files
    centre.commands.publish_world:publish | --settings centre.toml --out pages --nginx publish.sock
centre progress: say how far the store is with each venue
    centre.commands.progress:run | --settings centre.toml
centre withdraw: wait no longer for a venue; two persons order it
    centre.commands.field_orders:withdraw | kyoto --settings centre.toml --by 'Li Na' --key li-na.key
centre annul: let a deal count nowhere, or not at one venue; two persons order it
    centre.commands.field_orders:annul | 7 --settings centre.toml --by 'Li Na' --key li-na.key
centre vault: keep a holder's seed and give his shares to the venues' vaults
    centre.commands.field_vault:run | --settings field-vault.toml
centre allow: let a venue's vault use the sealing key that it shows
    centre.commands.field_vault:allow | kyoto '1f3a 90c2 77e0 5b1d' --settings field-vault.toml
admin check-release: check a release before it is installed
    cli.table.release:check | release --signer 'Li Na 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
admin upgrade: put a newer package in this program's place
    cli.table.upgrade:upgrade_program | twinwall_1.0.0_amd64.deb --look
admin sign: make a person's signing key, sign a file, check a signature
    cli.event.sign:run | scale.toml --key li-na.key
admin pack: pack what remote help needs, without secrets and tiles
    cli.table.pack:pack_service_file | --settings table.toml --out help.zip
"""
"""Each command with its summary, and below that its function's place and the words of its example."""


def _commands() -> Iterator[tuple[str, Command]]:
    lines = _LISTED.strip().splitlines()
    for head, below in zip(lines[::2], lines[1::2], strict=True):
        path, summary = head.split(": ", 1)
        place, example = below.strip().split(" | ")
        yield path, Command(place, summary, example)


COMMANDS: dict[str, Command] = dict(_commands())
