import type { TokenSource } from "@almanac/client";
import { CommandError } from "./exit-codes.ts";
import { configFolder, PrivateFile } from "./folders.ts";
import { type OAuthCredential, refreshCredential } from "./oauth.ts";
import { toBaseUrl } from "./server-address.ts";

/** A key that was pasted at `almanac login --key`. */
export interface KeyCredential {
  readonly kind: "key";
  readonly baseUrl: string;
  readonly key: string;
}

export type Credential = KeyCredential | OAuthCredential;

/** A token that ends sooner than this is renewed first. */
const RENEW_BEFORE_MS = 60_000;

const signedOut = (message: string) => new CommandError("signedOut", "signed_out", message);

/** The credential of this user of this computer. */
export class CredentialStore {
  readonly #file: PrivateFile<Credential>;
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.#file = new PrivateFile(configFolder(env), "credentials.json");
  }

  get path(): string {
    return this.#file.path;
  }

  /** Where scripts and CI have theirs: nothing is stored then. */
  fromEnvironment(): KeyCredential | null {
    const key = this.#env["ALMANAC_API_KEY"];
    const server = this.#env["ALMANAC_URL"];
    if (!key) {
      return null;
    }
    if (!server) {
      throw new CommandError(
        "usage",
        "unclear_server",
        "ALMANAC_API_KEY is set: set ALMANAC_URL to the address of the service too",
      );
    }
    return { kind: "key", baseUrl: toBaseUrl(server), key };
  }

  async stored(): Promise<Credential | null> {
    return await this.#file.read();
  }

  async current(): Promise<Credential> {
    const credential = this.fromEnvironment() ?? (await this.stored());
    if (!credential) {
      throw signedOut("you are not signed in: run `almanac login`");
    }
    return credential;
  }

  async store(credential: Credential): Promise<void> {
    await this.#file.write(credential);
  }

  async forget(): Promise<void> {
    await this.#file.remove();
  }

  /** The token of each call: renewed before it ends, and when the service refuses it. */
  tokenSource(credential: Credential): TokenSource {
    if (credential.kind === "key") {
      return credential.key;
    }
    return async ({ refused }) => {
      // Another process of this user may have renewed it meanwhile.
      const stored = await this.stored();
      const newest = stored?.kind === "oauth" && stored.clientId === credential.clientId ? stored : credential;
      const isFresh = Date.parse(newest.expiresAt) - Date.now() > RENEW_BEFORE_MS;
      if (isFresh && newest.accessToken !== refused) {
        return newest.accessToken;
      }
      const renewed = await refreshCredential(newest);
      if (!renewed) {
        throw signedOut("the access of this command line was revoked or has ended: run `almanac login` again");
      }
      await this.store(renewed);
      return renewed.accessToken;
    };
  }
}
