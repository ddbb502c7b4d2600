"""An app of Flower: the server sends a message to every node, and they send it back."""

import time

from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp

server = ServerApp()
client = ClientApp()


@client.query()
def echo(message, context):
    return Message(message.content, reply_to=message)


@server.main()
def rounds(grid, context):
    config = context.run_config
    while len(list(grid.get_node_ids())) < config["nodes"]:
        time.sleep(0.1)
    content = RecordDict({"answers": ConfigRecord({"bytes": bytes(config["bytes"])})})
    for _ in range(config["rounds"]):
        begin = time.monotonic()
        messages = [Message(content, dst_node_id=node, message_type="query") for node in grid.get_node_ids()]
        replies = list(grid.send_and_receive(messages))
        assert all(len(reply.content["answers"]["bytes"]) == config["bytes"] for reply in replies)
        with open(config["told"], "a") as told:
            told.write(f"{len(replies)} {time.monotonic() - begin}\n")
