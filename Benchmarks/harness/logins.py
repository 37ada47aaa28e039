"""Users who log in as fast as they can, half of them with wrong passwords."""

import collections
import http.client
import json
import random
import threading

# Half of the passwords are right, half are wrong.
CLIENTS = 8


class Storm:
    """Logs in while the block runs; `statuses` counts the responses."""

    def __init__(self, port, names, password):
        self.port = port
        self.names = names
        self.password = password
        self.statuses = collections.Counter()
        self.is_over = threading.Event()
        self.lock = threading.Lock()

    def __enter__(self):
        self.threads = [threading.Thread(target=self.log_in, args=(index,)) for index in range(CLIENTS)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def log_in(self, index):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        is_right = index % 2 == 0
        name = self.names[index % len(self.names)]
        while not self.is_over.is_set():
            # A wrong password delays the next attempt, by account and by address. Attackers avoid that by changing
            # both, and every guess costs a bcrypt, whether or not the user exists.
            guess = name if is_right else f"nobody{random.getrandbits(64):x}"
            body = json.dumps({"username": guess, "password": self.password if is_right else "wrong password"})
            address = f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}"
            headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
            connection.request("POST", "/api/v1/auth/login", body, headers)
            response = connection.getresponse()
            response.read()
            with self.lock:
                self.statuses[response.status] += 1
        connection.close()
