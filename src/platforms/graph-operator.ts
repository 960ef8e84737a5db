import { hmacSha256Hex } from "#core/encoding.ts";
import type {
  AccountAccess,
  AppCredentials,
  PlatformClient,
  ApiVersion,
  CredentialCheck,
  LiveQuestion,
} from "./contract.ts";
import { checkAnswer, oauthWords } from "./credential-check.ts";
import { graphCode, graphError, graphGet } from "./graph-api.ts";
import { evidenceOf } from "./live-evidence.ts";
import { postForm } from "./request-encoding.ts";
import { callPlatform, isOk } from "./response.ts";

/**
 * The last day of each version of the Graph API: two years after the next version, as Meta's changelog says. After
 * v26.0 comes v27.0, as Meta's developer blog of 2026-11-04 names it; it has no last day yet.
 */
const VERSION_ENDS: Readonly<Record<string, string>> = {
  "v20.0": "2026-09-24",
  "v21.0": "2027-01-21",
  "v22.0": "2027-05-20",
  "v23.0": "2027-10-08",
  "v24.0": "2028-02-18",
  "v25.0": "2028-07-29",
  "v26.0": "2028-11-04",
};

/** A version of the Graph API with its last day. `source` is the version list of the platform that uses it. */
export function graphVersion(name: string, source: string): ApiVersion {
  return { name, endsOn: VERSION_ENDS[name] ?? null, source };
}

/** Finds credentials in the wrong form: app ids are numbers, and secrets are 32 hexadecimal digits. */
export function graphShapeProblems({ clientId, clientSecret }: AppCredentials): string[] {
  return [
    ...(/^\d{10,20}$/.test(clientId) ? [] : ["the app id is not a number"]),
    ...(/^[0-9a-f]{32}$/.test(clientSecret) ? [] : ["the app secret is not 32 hexadecimal digits"]),
  ];
}

/** The question whether the platform refuses a wrong proof of the app's secret. It reads the account's own id. */
export function wrongProofQuestion(urlOf: (account: AccountAccess) => string): LiveQuestion {
  return {
    id: "appsecret-proof",
    question: "Is `appsecret_proof` checked?",
    writes: null,
    async ask(client, account) {
      const read = async (proof: string) =>
        await graphGet(client, urlOf(account), account.accessToken, { fields: "id", appsecret_proof: proof });
      const right = await read(await hmacSha256Hex(account.app.clientSecret, account.accessToken));
      const wrong = await read("0".repeat(64));
      const conclusion = !isOk(right)
        ? "The right proof is refused too: set APPSECRET_PROOF=false for this platform"
        : isOk(wrong)
          ? "It is not checked: sending it does no harm"
          : "It is checked: it must be sent";
      return {
        conclusion,
        evidence: [
          evidenceOf("GET /me with the right proof", right, account),
          evidenceOf("GET /me with a wrong proof", wrong, account),
        ],
        leftBehind: [],
      };
    },
  };
}

/**
 * Requests a token for the app itself, to check its credentials. It sends a form, because the URL of a GET would
 * contain the secret.
 */
export async function checkAppToken(
  client: PlatformClient,
  app: AppCredentials,
  url: string,
): Promise<CredentialCheck> {
  const fields = { client_id: app.clientId, client_secret: app.clientSecret, grant_type: "client_credentials" };
  return await checkAnswer(
    app,
    () => callPlatform(client, url, postForm(fields)),
    (response) => {
      const error = graphError(response);
      if (error === null) {
        return { state: oauthWords(response).hasToken ? "accepted" : "unknown", words: "" };
      }
      const isAboutApp = error.code === 101 || (error.code === 1 && /client secret/i.test(error.message));
      return { state: isAboutApp ? "refused" : "unknown", words: `${graphCode(error)}: ${error.message}` };
    },
  );
}
