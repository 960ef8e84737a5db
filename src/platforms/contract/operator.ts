import type { AccountAccess, AppCredentials, PlatformClient } from "./client.ts";
import type { ClientIdentity } from "./connect.ts";

/*
 * What the service tells an operator about an app and its settings without a person's login. Nothing here publishes, and no
 * result contains a secret.
 */

/** What the privacy page and the terms of an installation say about one platform. */
export interface DataPolicy {
  /** One sentence: what the service reads and keeps beside tokens, names and ids, and why. */
  readonly use: string;
  /** One sentence: how a person withdraws the access at the platform. */
  readonly revoke: string;
  /** Statements that the platform's terms demand word for word or in substance. */
  readonly statements: readonly string[];
  /** The platform's own terms and policies, where its developer terms demand a link. */
  readonly links: readonly { readonly title: string; readonly url: string }[];
  /** A sentence that the installation's own terms must contain; the words of `title` link to `url`. Absent: the platform demands none. */
  readonly terms?: { readonly statement: string; readonly title: string; readonly url: string };
}

/** How a platform reacted to the operator's credentials. */
export interface CredentialCheck {
  /** `unknown`: it answered, and the answer means neither. */
  readonly state: "accepted" | "refused" | "unknown" | "unreachable";
  /** The platform's own words without anything secret; empty when it sent none. */
  readonly words: string;
}

/** How far the platform's review of the app has come, as the operator states it. */
export interface ReviewLevel {
  /**
   * `limited`: with these settings people see less than they expect, or nothing. `unstated`: no setting says it, and no call
   * can find out.
   */
  readonly state: "none_needed" | "limited" | "passed" | "unstated";
  /** One sentence: what this means for accounts and posts. */
  readonly sentence: string;
}

/** A version of an API that the platform will switch off. */
export interface ApiVersion {
  /** The name that calls send. */
  readonly name: string;
  /** Its last day, `2028-07-29`; null when the platform has not said it or does not know the version. */
  readonly endsOn: string | null;
  /** Address of the page that lists the days. */
  readonly source: string;
}

/** What calls showed about one open question. */
export interface LiveAnswer {
  /** One sentence: what it means for this service and its settings. */
  readonly conclusion: string;
  /** Each call with its status and, after a refusal, the platform's words; without ids and names of people. */
  readonly evidence: readonly string[];
  /** What the calls could not remove at the platform; empty when nothing remains. */
  readonly leftBehind: readonly string[];
}

/** A question that no document answers; docs/platforms/live-calls.md lists them all. */
export interface LiveQuestion {
  /** Stable, kebab-case; the operator names a question by it. */
  readonly id: string;
  /** The words of that list. */
  readonly question: string;
  /** What the calls write at the platform, who sees it, and how they remove it; null when they only read. */
  readonly writes: string | null;
  /** Makes the calls with the operator's own account and removes what it wrote. */
  ask(client: PlatformClient, account: AccountAccess): Promise<LiveAnswer>;
}

/** What the service can tell an operator about one platform. */
export interface OperatorChecks {
  /** How the credentials differ from those that the platform issues; empty when they do not. Pure. */
  shapeProblems(app: AppCredentials): readonly string[];
  /** The state of the app's review. Pure. */
  reviewLevel(app: AppCredentials): ReviewLevel;
  /** The version that calls use; absent where versions do not end. Pure. */
  readonly apiVersion?: (app: AppCredentials) => ApiVersion;
  /**
   * Shows the credentials to the platform in one call that changes nothing. Judges the answer by its error word, because one
   * status can mean both. Does not throw.
   */
  checkCredentials(client: PlatformClient, app: AppCredentials, identity: ClientIdentity): Promise<CredentialCheck>;
  /** Questions that calls with an account can settle. Absent where there are none, or where a person has to act. */
  readonly liveQuestions?: readonly LiveQuestion[];
}
