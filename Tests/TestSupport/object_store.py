"""OpenStack Swift with its S3 interface, for tests and `make run-full`: all its servers in one process, on 127.0.0.1.

    /usr/bin/python3 object_store.py FOLDER [PORT]

S3 is on PORT, by default a free one; so are all others. The folder may have the objects of an earlier run.
Writes {"port": S3, "control": CONTROL} to FOLDER/ready.json once it accepts requests, or {"error": TEXT} with what is
missing. The log is FOLDER/log. PUT http://127.0.0.1:CONTROL/NAME creates a bucket, with ?quota=BYTES one with a limit.

It is assembled like Swift's own functional tests (test/functional/__init__.py, in_process_setup), and needs the Debian
packages of scripts/install-object-store.sh, hence the system's Python.
"""

import json
import os
import sys
from array import array

folder = os.path.abspath(sys.argv[1])
REGION = "eu-test-1"

# Key ids and secrets of tempauth: an administrator of the account, and a user without any permission in it.
USERS = {"user_test_admin": "admin-secret .admin", "user_test_nobody": "nobody-secret"}


def tell(message):
    path = os.path.join(folder, "ready.json")
    with open(path + ".part", "w") as file:
        json.dump(message, file)
    os.rename(path + ".part", path)


def fail(text):
    tell({"error": text})
    sys.exit(1)


def check_attributes(path):
    """Swift stores an object's metadata in extended attributes of its file."""
    try:
        os.setxattr(path, "user.happiness.test", b"1")
    except OSError as error:
        fail(f"No extended attributes in {path} ({error.strerror}). Set TMPDIR to a folder on ext4 or xfs.")


log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.dup2(log, 1)
os.dup2(log, 2)
device = os.path.join(folder, "devices", "one")
os.makedirs(device, exist_ok=True)
check_attributes(device)
configuration = os.path.join(folder, "swift.conf")
with open(configuration, "w") as file:
    file.write("[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n")

try:
    import eventlet
    import eventlet.wsgi
    from swift.common import constraints, ring, utils

    utils.SWIFT_CONF_FILE = constraints.SWIFT_CONF_FILE = configuration
    utils.validate_hash_conf()
    constraints.reload_constraints()
    from swift.account.server import AccountController
    from swift.common.middleware import catch_errors, container_quotas, listing_formats, tempauth
    from swift.common.middleware.s3api import s3api
    from swift.common.swob import Request, Response
    from swift.container.server import ContainerController
    from swift.obj.server import ObjectController
    from swift.proxy.server import Application
except ImportError as error:
    fail(f"OpenStack Swift is not installed ({error}). Run scripts/install-object-store.sh (make setup does).")

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)


class Logger(utils.logging.Logger):
    """Swift's servers call methods for metrics on their logger."""

    METRICS = {
        "increment", "decrement", "timing", "timing_since", "update_stats", "transfer_rate", "set_statsd_prefix",
    }

    def __init__(self, name):
        super().__init__(name)
        self.addHandler(utils.logging.StreamHandler())
        self.thread_locals = None

    def __getattr__(self, name):
        if name in self.METRICS:
            return lambda *arguments, **named: None
        raise AttributeError(name)

    def notice(self, message, *arguments):
        self.info(message, *arguments)


class NoCache:
    """Replaces memcached, which tempauth asks for but s3api does not need."""

    def __getattr__(self, name):
        return lambda *arguments, **named: None


def with_cache(application):
    def call(environment, start):
        environment["swift.cache"] = NoCache()
        return application(environment, start)

    return call


def serve(application, listener):
    eventlet.spawn(eventlet.wsgi.server, listener, application, utils.NullLogger())


def make_ring(name, port):
    """One partition on one device, once."""
    node = {"id": 0, "zone": 0, "region": 1, "device": "one", "ip": "127.0.0.1", "port": port, "weight": 1.0}
    node.update(replication_ip=node["ip"], replication_port=port, meta="")
    ring.RingData([array("H", [0])], [node], 32).save(os.path.join(folder, f"{name}.ring.gz"))


settings = {
    "swift_dir": folder,
    "devices": os.path.dirname(device),
    "mount_check": "false",
    "disable_fallocate": "true",
    "allow_versions": "false",
    "account_autocreate": "true",
    # Seconds. On a busy machine the default of half a second may pass, and an object is then missing in its list.
    "conn_timeout": "60",
    "node_timeout": "60",
    "container_update_timeout": "60",
}
servers = {"account": AccountController, "container": ContainerController, "object": ObjectController}
listeners = {name: eventlet.listen(("127.0.0.1", 0)) for name in servers}
for name, listener in listeners.items():
    make_ring(name, listener.getsockname()[1])
for name, server in servers.items():
    serve(server(settings, logger=Logger(name)), listeners[name])

proxy = Application(settings, logger=Logger("proxy"))
application = container_quotas.filter_factory(settings)(proxy)
application = tempauth.filter_factory(settings, **USERS)(application)
application = s3api.filter_factory(settings, location=REGION, auth_pipeline_check="false", s3_acl="false")(application)
application = listing_formats.filter_factory(settings)(application)
application = with_cache(catch_errors.filter_factory(settings)(application))


def control(environment, start):
    request = Request(environment)
    headers = {"X-Container-Meta-Quota-Bytes": request.params["quota"]} if "quota" in request.params else {}
    made = Request.blank(
        "/v1/AUTH_test" + request.path, environ={"REQUEST_METHOD": "PUT"}, headers=headers
    ).get_response(proxy)
    return Response(status=made.status_int)(environment, start)


outside = eventlet.listen(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
controls = eventlet.listen(("127.0.0.1", 0))
serve(application, outside)
serve(control, controls)
tell({"port": outside.getsockname()[1], "control": controls.getsockname()[1]})
eventlet.event.Event().wait()
