import type { AppRegistrations, OperatorChecks } from "#platforms/contract.ts";
import { rememberLostCalls, UNKNOWN_GRANT } from "#platforms/credential-check.ts";
import { connect } from "./connect.ts";
import { readPrivateKey } from "./login.ts";

/** The server that most accounts use. Other servers run the same program and so accept the same. */
const SERVER = "https://bsky.social";
/** An example challenge (RFC 7636, appendix B), because nobody finishes this login. */
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const NO_REGISTRATIONS: AppRegistrations = {
  find: () => Promise.resolve(null),
  keep: (_server, registration) => Promise.resolve(registration),
  forget: () => Promise.resolve(),
};

export const operatorChecks: OperatorChecks = {
  shapeProblems: (app) => (readPrivateKey(app).ok ? [] : ["BLUESKY_PRIVATE_KEY is no P-256 private key as JWK"]),

  reviewLevel: ({ settings }) => ({
    state: "none_needed",
    sentence:
      settings["PRIVATE_KEY"] === undefined
        ? "No review; without BLUESKY_PRIVATE_KEY logins end after two weeks"
        : "No review; logins last three months after their last use",
  }),

  /** Announces a login that nobody finishes. The server then reads and checks this service's client metadata. */
  async checkCredentials(client, app, identity) {
    const remembering = rememberLostCalls(client);
    const started = await connect.start(remembering, app, {
      ...identity,
      state: UNKNOWN_GRANT,
      codeVerifier: UNKNOWN_GRANT,
      codeChallenge: CHALLENGE,
      input: { handle: SERVER },
      registrations: NO_REGISTRATIONS,
      now: 0,
    });
    if (started.ok) {
      return { state: "accepted", words: "" };
    }
    const { code, platformCode, message } = started.fault;
    const words = platformCode === null ? message : `${platformCode}: ${message}`;
    if (code === "app_misconfigured") {
      return { state: "refused", words };
    }
    return { state: remembering.hasLostCall ? "unreachable" : "unknown", words };
  },
};
