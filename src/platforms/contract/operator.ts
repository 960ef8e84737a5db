import type { AccountAccess, AppCredentials, PlatformClient } from "./client.ts";
import type { ClientIdentity } from "./connect.ts";

/* What the service tells an operator about an app and its settings, without any user's login. Nothing here
   publishes, and no result contains a secret. */

/** What an installation's privacy page and terms say about one platform. */
export interface DataPolicy {
  /** One sentence: what the service reads and stores besides tokens, names and ids, and why. */
  readonly use: string;
  /** One sentence: how a person withdraws the access at the platform. */
  readonly revoke: string;
  /** Statements that the platform's terms require, word for word or in substance. */
  readonly statements: readonly string[];
  /** The platform's own terms and policies, if its developer terms require a link. */
  readonly links: readonly { readonly title: string; readonly url: string }[];
  /**
   * A sentence that the installation's terms must contain. The words of `title` link to `url`. Absent if the platform
   * requires none.
   */
  readonly terms?: { readonly statement: string; readonly title: string; readonly url: string };
}

/** How a platform reacted to the operator's credentials. */
export interface CredentialCheck {
  /** Whether the platform accepts the credentials. `unknown`: its answer means neither yes nor no. */
  readonly state: "accepted" | "refused" | "unknown" | "unreachable";
  /** The platform's own words, without anything secret. Empty if it sent none. */
  readonly words: string;
}

/** How far the platform's review of the app is, as the operator's settings state it. */
export interface ReviewLevel {
  /**
   * `limited`: with these settings people see less than they expect, or nothing. `unstated`: no setting says it, and no
   * call can find out.
   */
  readonly state: "none_needed" | "limited" | "passed" | "unstated";
  /** One sentence: what the state of the review means for accounts and posts. */
  readonly sentence: string;
}

/** A version of an API that the platform will switch off one day. */
export interface ApiVersion {
  /** The version's name, which calls send. */
  readonly name: string;
  /**
   * The version's last day, such as `2028-07-29`. Null if the platform has not named it or does not know the version.
   */
  readonly endsOn: string | null;
  /** The address of the page that lists the last days. */
  readonly source: string;
}

/** What calls have shown about one open question. */
export interface LiveAnswer {
  /** One sentence: what the answer means for this service and its settings. */
  readonly conclusion: string;
  /** Each call with its status and, after a refusal, the platform's words. Ids and names of people are left out. */
  readonly evidence: readonly string[];
  /** What the calls could not remove at the platform. Empty if nothing remains. */
  readonly leftBehind: readonly string[];
}

/** A question about a platform that no document answers. docs/platforms/live-calls.md lists all of them. */
export interface LiveQuestion {
  /** The question's stable id in kebab-case, which the operator types. */
  readonly id: string;
  /** The question in the words of docs/platforms/live-calls.md. */
  readonly question: string;
  /** What the calls write at the platform, who sees it, and how they remove it. Null if they only read. */
  readonly writes: string | null;
  /** Makes the calls with the operator's own account, and removes what they wrote. */
  ask(client: PlatformClient, account: AccountAccess): Promise<LiveAnswer>;
}

/** What the service can tell an operator about one platform. */
export interface OperatorChecks {
  /** How the form of the credentials differs from what the platform issues. Empty if it does not. Pure. */
  shapeProblems(app: AppCredentials): readonly string[];
  /** How far the platform's review of the app is. Pure. */
  reviewLevel(app: AppCredentials): ReviewLevel;
  /** The API version that calls use. Absent if versions of this platform do not end. Pure. */
  readonly apiVersion?: (app: AppCredentials) => ApiVersion;
  /**
   * Shows the credentials to the platform in one call that changes nothing. The answer's error word decides, because
   * one status can have several meanings. Does not throw.
   */
  checkCredentials(client: PlatformClient, app: AppCredentials, identity: ClientIdentity): Promise<CredentialCheck>;
  /** Questions that calls with an account can answer. Absent if there are none, or if a person has to act. */
  readonly liveQuestions?: readonly LiveQuestion[];
}
