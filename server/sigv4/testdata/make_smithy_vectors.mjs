// Signs the requests of cases.json with the signer of the AWS SDK for
// JavaScript. In a folder of its own:
//
//   npm install @smithy/signature-v4@5 @smithy/protocol-http@5 @aws-crypto/sha256-js@5
//   node make_smithy_vectors.mjs TESTDATA_FOLDER
//
// (the script has to lie in the folder with node_modules). Every key is made up,
// every date is fixed. Left out is what this signer has no notion of: a header
// that is there twice.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sha256 } from "@aws-crypto/sha256-js";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";

const folder = process.argv[2];
const now = "2026-01-02T03:04:05Z";
const key = "AKIDEXAMPLE";
const secret = "fake/secret+with=signs";

const escape = (s) =>
  encodeURIComponent(s).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

function parse(query) {
  const all = {};
  for (const pair of query.split("&")) {
    const [name, value = ""] = pair.split("=").map(decodeURIComponent);
    all[name] = name in all ? [all[name], value].flat() : value;
  }
  return all;
}

async function sign(c) {
  const [, host, path, query] = c.url.match(/^https?:\/\/([^/?]*)([^?]*)\??(.*)$/);
  const headers = { host };
  for (const [name, value] of c.headers ?? []) headers[name.toLowerCase()] = value;
  const request = new HttpRequest({
    method: c.method, hostname: host, path: path || "/", headers, body: c.body ?? "",
    query: query ? parse(query) : {},
  });
  const signer = new SignatureV4({
    service: c.service ?? "sqs", region: c.region ?? "us-east-1", sha256: Sha256, applyChecksum: false,
    credentials: { accessKeyId: key, secretAccessKey: secret, sessionToken: c.token },
  });
  const signingDate = new Date(now);
  const signed = c.presign
    ? await signer.presign(request, { signingDate, expiresIn: c.presign })
    : await signer.sign(request, { signingDate });
  const sent = Object.entries(signed.query)
    .flatMap(([n, v]) => [v].flat().map((one) => `${escape(n)}=${escape(one)}`)).join("&");
  return {
    name: c.name, signer: "@smithy/signature-v4", now, key, secret, body_covered: !c.payload,
    method: c.method, target: signed.path + (sent ? "?" + sent : ""),
    headers: Object.entries(signed.headers), body: Buffer.from(c.body ?? "").toString("base64"),
  };
}

const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));
const vectors = [];
for (const c of cases) if (c.name !== "repeated headers") vectors.push(await sign(c));
writeFileSync(join(folder, "smithy.json"), JSON.stringify(vectors, null, 1) + "\n");
