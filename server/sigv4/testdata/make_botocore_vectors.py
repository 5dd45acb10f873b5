"""Signs the requests of cases.json with botocore.

    python3 server/sigv4/testdata/make_botocore_vectors.py    (botocore 1.43)

Every key is made up, every date is fixed.
"""

import base64
import datetime
import json
import pathlib
from urllib.parse import urlsplit

import botocore
import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

HERE = pathlib.Path(__file__).parent
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5)
KEY, SECRET = "AKIDEXAMPLE", "fake/secret+with=signs"

botocore.auth.get_current_datetime = lambda remove_tzinfo=True: NOW


class UnsignedPayload:
    """botocore's own classes never presign a raw body without its digest."""

    def payload(self, request):
        return "UNSIGNED-PAYLOAD"


class UnsignedQueryAuth(UnsignedPayload, botocore.auth.SigV4QueryAuth):
    pass


class RawQueryAuth(botocore.auth.SigV4QueryAuth):
    """Leaves a body where it is instead of moving it into the query string."""

    def _modify_request_before_signing(self, request):
        data, request.data = request.data, ""
        super()._modify_request_before_signing(request)
        request.data = data


class RawUnsignedQueryAuth(UnsignedPayload, RawQueryAuth):
    pass


def sign(case, date_header=False):
    request = AWSRequest(
        method=case["method"],
        url=case["url"],
        data=case.get("body", "").encode("utf-8"),
    )
    for name, value in case.get("headers", []):
        request.headers[name] = value
    if date_header:
        request.headers["Date"] = "to be replaced"

    credentials = Credentials(KEY, SECRET, case.get("token"))
    scope = (case.get("service", "sqs"), case.get("region", "us-east-1"))
    if "presign" in case:
        kind = botocore.auth.SigV4QueryAuth
        if case.get("raw"):
            kind = RawUnsignedQueryAuth if "payload" in case else RawQueryAuth
        kind(credentials, *scope, expires=case["presign"]).add_auth(request)
    else:
        botocore.auth.SigV4Auth(credentials, *scope).add_auth(request)

    prepared = request.prepare()
    url = urlsplit(prepared.url)
    body = prepared.body or b""
    if isinstance(body, str):
        body = body.encode("utf-8")
    return {
        "name": case["name"] + (", Date header" if date_header else ""),
        "signer": "botocore " + botocore.__version__,
        "now": NOW.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "key": KEY,
        "secret": SECRET,
        "body_covered": "payload" not in case,
        "method": prepared.method,
        "target": (url.path or "/") + ("?" + url.query if url.query else ""),
        "headers": [["Host", url.netloc]] + [[n, v] for n, v in request.headers.items()],
        "body": base64.b64encode(body).decode(),
    }


def main():
    cases = json.loads((HERE / "cases.json").read_text("utf-8"))
    vectors = [sign(c) for c in cases]
    vectors += [sign(c, date_header=True) for c in cases[:2]]
    (HERE / "botocore.json").write_text(json.dumps(vectors, indent=1) + "\n", "utf-8")


main()
