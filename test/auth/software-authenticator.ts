import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** A passkey authenticator in software: one resident credential with user verification, without attestation. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  counter = 0;

  #authenticatorData(rpId: string, credential: Buffer): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++this.counter);
    const userPresentAndVerified = 0x01 | 0x04;
    const flags = userPresentAndVerified | (credential.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, credential]);
  }

  /** The public key in COSE encoding (ES256): a CBOR map with five entries. */
  #coseKey(): Buffer {
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" });
    const coordinate = (label: number, text: string | undefined) =>
      Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(text ?? "", "base64url")]);
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      coordinate(0x21, x),
      coordinate(0x22, y),
    ]);
  }

  create(options: { challenge: string; rp: { id?: string } }, origin: string) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attestedCredential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#coseKey()]);
    const data = this.#authenticatorData(options.rp.id ?? "", attestedCredential);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      Buffer.from([0xa0]),
      cborText("authData"),
      Buffer.from([0x59]),
      size,
      data,
    ]);
    return this.#toResponse({
      clientDataJSON: clientData("webauthn.create", options.challenge, origin),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  get(options: { challenge: string; rpId?: string }, origin: string) {
    const data = this.#authenticatorData(options.rpId ?? "", Buffer.alloc(0));
    const client = clientData("webauthn.get", options.challenge, origin);
    const signed = Buffer.concat([data, sha256(Buffer.from(client, "base64url"))]);
    return this.#toResponse({
      clientDataJSON: client,
      authenticatorData: data.toString("base64url"),
      signature: createSign("SHA256").update(signed).sign(this.#keys.privateKey).toString("base64url"),
    });
  }

  #toResponse(response: Record<string, unknown>) {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

function sha256(input: string | Buffer): Buffer {
  return createHash("sha256").update(input).digest();
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function clientData(type: string, challenge: string, origin: string): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString("base64url");
}
