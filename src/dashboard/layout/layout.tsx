import type { Child, FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { type Assets, Document, Logo } from "#html/document.tsx";
import { DateTime } from "./components.tsx";

/** The layout of sign-in, consent and error pages: one centred card. With `script={false}` the page loads no script. */
export const AuthLayout: FC<{
  title: string;
  script?: boolean;
  /** Makes the card wider, for a page of running text. */
  isText?: boolean;
  /** The names of further style sheets. */
  styles?: readonly string[];
  children?: Child;
  footer?: Child;
}> = (props) => (
  <Document title={props.title} script={props.script ?? true} assets={{ styles: ["auth", ...(props.styles ?? [])] }}>
    <div class="auth-layout">
      <header>
        <a class="brand" href="/">
          <Logo /> Almanac
        </a>
      </header>
      <main class={props.isText ? "card text" : "card"}>{props.children}</main>
      {props.footer !== undefined && <footer class="auth-footer">{props.footer}</footer>}
    </div>
  </Document>
);

export type Section =
  | "calendar"
  | "drafts"
  | "slots"
  | "overview"
  | "approvals"
  | "notices"
  | "media"
  | "accounts"
  | "access"
  | "workspaces"
  | "plan"
  | "profile"
  | "operate";

interface MenuEntry {
  readonly section: Section;
  readonly href: string;
  readonly label: string;
}

const MENU: readonly MenuEntry[] = [
  { section: "calendar", href: "/dashboard", label: "Calendar" },
  { section: "drafts", href: "/dashboard/drafts", label: "Drafts" },
  { section: "overview", href: "/dashboard/overview", label: "Overview" },
  { section: "approvals", href: "/approvals", label: "Approvals" },
  { section: "notices", href: "/notices", label: "Notices" },
  { section: "media", href: "/dashboard/media", label: "Media" },
  { section: "accounts", href: "/dashboard/accounts", label: "Accounts" },
  { section: "access", href: "/dashboard/keys", label: "AI & API" },
];

/** Pages that people open rarely. Most belong to the person and not to the workspace. */
const PERSONAL_MENU: readonly MenuEntry[] = [
  { section: "slots", href: "/dashboard/slots", label: "Slots" },
  { section: "workspaces", href: "/dashboard/workspaces", label: "Workspaces" },
  { section: "plan", href: "/dashboard/plan", label: "Plan" },
  { section: "profile", href: "/dashboard/profile", label: "Profile" },
];

/** Menu entries for operators, who run the installation. */
const OPERATOR_MENU: readonly MenuEntry[] = [{ section: "operate", href: "/dashboard/operate", label: "Operate" }];

/** The number of new things in a section, which the session counts up to 100. */
const Badge: FC<{ count: number; what: string }> = ({ count, what }) =>
  count === 0 ? null : (
    <>
      {" "}
      <span class="badge">
        {count < 100 ? count : "99+"}
        <span class="visually-hidden">{` ${what}`}</span>
      </span>
    </>
  );

const MenuLinks: FC<{ entries: readonly MenuEntry[]; section: Section; signedIn: SignedInUser }> = ({
  entries,
  section,
  signedIn: { pendingApprovals, openNotices },
}) => (
  <ul>
    {entries.map((entry) => (
      <li>
        <a href={entry.href} aria-current={entry.section === section ? "page" : undefined}>
          {entry.label}
          {entry.section === "approvals" && <Badge count={pendingApprovals} what="waiting" />}
          {entry.section === "notices" && <Badge count={openNotices} what="new" />}
        </a>
      </li>
    ))}
  </ul>
);

/** The active workspace, with a form for each other one to switch to it. */
const WorkspaceSwitch: FC<{ signedIn: SignedInUser }> = ({ signedIn: { workspaces, actor } }) => (
  <ul class="workspace-switch" aria-label="Workspaces">
    {workspaces.map(({ id, name }) => (
      <li>
        {id === actor.workspaceId ? (
          <span aria-current="true">{name}</span>
        ) : (
          <form method="post" action={`/dashboard/workspaces/${id}/activate`}>
            <input type="hidden" name="next" value="/dashboard" />
            <button class="link" aria-label={`Switch to ${name}`}>
              {name}
            </button>
          </form>
        )}
      </li>
    ))}
  </ul>
);

const MenuIcon: FC = () => (
  <svg class="menu-icon narrow-only" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" />
  </svg>
);

/**
 * The user's menu: workspaces, personal pages and sign-out. In a narrow window it also contains the sections, which
 * have no row of links there.
 */
const UserMenu: FC<{ section: Section; signedIn: SignedInUser }> = ({ section, signedIn }) => (
  <details class="user-menu" data-menu>
    <summary>
      <MenuIcon />
      <span class="visually-hidden">Menu, workspace</span>{" "}
      <span class="user-menu-label">
        {signedIn.workspaces.find(({ id }) => id === signedIn.actor.workspaceId)?.name ?? "Menu"}
      </span>
    </summary>
    <div class="user-menu-panel">
      <nav class="narrow-only" aria-label="Dashboard">
        <MenuLinks entries={MENU} section={section} signedIn={signedIn} />
      </nav>
      {signedIn.workspaces.length > 1 && <WorkspaceSwitch signedIn={signedIn} />}
      <nav aria-label="Personal">
        <MenuLinks
          entries={signedIn.isOperator ? [...PERSONAL_MENU, ...OPERATOR_MENU] : PERSONAL_MENU}
          section={section}
          signedIn={signedIn}
        />
      </nav>
      <form class="sign-out" method="post" action="/logout">
        <span class="user-email">{signedIn.email}</span>
        <button class="secondary">Sign out</button>
      </form>
    </div>
  </details>
);

/** The layout of a dashboard page: menu, heading and content. */
export const DashboardLayout: FC<{
  title: string;
  section: Section;
  signedIn: SignedInUser;
  lead?: Child;
  /** Set if the page uses the whole width of the window. */
  isWide?: boolean;
  /** False if the page has its own `<h1>`. */
  hasHeading?: boolean;
  /** False if the page has no lists of items, so that it loads a smaller style sheet. */
  hasLists?: boolean;
  assets?: Assets;
  children?: Child;
}> = ({ title, section, signedIn, lead, isWide = false, hasHeading = true, hasLists = !isWide, assets, children }) => (
  <Document title={title} assets={{ ...assets, styles: [...(hasLists ? ["lists"] : []), ...(assets?.styles ?? [])] }}>
    <a class="skip-link" href="#content">
      Skip to content
    </a>
    <header class="top-bar">
      <a class="brand" href="/dashboard">
        <Logo /> <span class="brand-name">Almanac</span>
      </a>
      <nav class="wide-only" aria-label="Dashboard">
        <MenuLinks entries={MENU} section={section} signedIn={signedIn} />
      </nav>
      <a class="button new-post" href="/dashboard/posts/new">
        New post
      </a>
      <UserMenu section={section} signedIn={signedIn} />
    </header>
    {!signedIn.actor.subscribed && section !== "plan" && (
      <p class="banner" role="status">
        Your subscription has ended: API calls are refused and scheduled posts are paused.{" "}
        <a href="/dashboard/plan">Choose a plan</a>
      </p>
    )}
    {signedIn.deletionDueAt !== null && (
      <p class="banner" role="status">
        Your account and everything in it will be deleted on{" "}
        <DateTime value={signedIn.deletionDueAt} timeZone={signedIn.timeZone} />.{" "}
        <a href="/dashboard/profile/deletion">Keep it</a>
      </p>
    )}
    <main id="content" class={isWide ? "page wide" : "page"}>
      {hasHeading && <h1>{title}</h1>}
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </main>
  </Document>
);
