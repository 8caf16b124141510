"""``twinwall hall broker``: the embedded broker, a process that loads nothing of the other ones."""

from argparse import Namespace

from cli.run_settings import load_to_run, prepare_event
from cli.usage import EVENT, LOG, settings_file, takes
from config import BrokerSettings
from twinwall.wire.mqtt.access import AccessFiles
from twinwall.wire.mqtt.broker_address import BrokerAddress, TlsFiles
from twinwall.wire.mqtt.embedded_broker import serve


@takes(settings_file("the broker's"), EVENT, LOG)
def broker(arguments: Namespace) -> None:
    whole = load_to_run(arguments.settings, BrokerSettings)
    prepare_event(whole, arguments)
    settings = whole.broker
    files = settings.ca_file, settings.certificate_file, settings.key_file
    tls = None if settings.certificate_file is None else TlsFiles(*files)
    serve(AccessFiles(settings.passwords, settings.rights), BrokerAddress(settings.host, settings.port, tls))
