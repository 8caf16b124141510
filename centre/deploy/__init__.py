"""The files with which a centre and its venues run on Mosquitto and RabbitMQ; the rehearsal runs on the same files."""
