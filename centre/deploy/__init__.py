"""The files with which a centre and its venues run on Mosquitto and RabbitMQ; the rehearsal uses the same files."""
