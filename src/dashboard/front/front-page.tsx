import type { Child, FC } from "hono/jsx";
import { TRIAL_DAYS } from "#core/plan.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { Document, Logo } from "#html/document.tsx";
import type { Operator } from "#dashboard/public-pages/operator.ts";
import { CalendarDrawing } from "./calendar-drawing.tsx";

const TITLE = "Plan a month of posts on one calendar";
const DESCRIPTION =
  "Write a post once, see exactly how it will look on every account, and schedule it. It goes out once, at the time you chose, and the calendar says what really happened.";

/**
 * The title, text and picture that messengers and networks show for a link to the front page. The picture is
 * `static/social-card.jpg`.
 */
const SocialCard: FC<{ origin: string }> = ({ origin }) => (
  <>
    <meta name="description" content={DESCRIPTION} />
    <link rel="canonical" href={`${origin}/`} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Almanac" />
    <meta property="og:title" content={TITLE} />
    <meta property="og:description" content={DESCRIPTION} />
    <meta property="og:url" content={`${origin}/`} />
    <meta property="og:image" content={`${origin}/social-card.jpg`} />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content={`Almanac. ${TITLE}.`} />
    <meta name="twitter:card" content="summary_large_image" />
  </>
);

const Assurance: FC<{ title: string; children?: Child }> = ({ title, children }) => (
  <li>
    <h3>{title}</h3>
    <p>{children}</p>
  </li>
);

const Footer: FC<{ operator: Operator | null; children?: Child }> = ({ operator, children }) => (
  <footer class="front-footer">
    {children}
    {operator !== null && (
      <>
        <a href="/privacy">Privacy</a>
        <a href="/terms">Terms</a>
        <a href="/data-deletion">Data deletion</a>
        <span>Run by {operator.name}</span>
      </>
    )}
  </footer>
);

/** The page for people who do not know the product. It needs no script and contains nothing personal. */
export const FrontPage: FC<{
  origin: string;
  docsUrl: string;
  /** The platforms that can be connected at this installation. */
  platforms: readonly Platform[];
  canSignUp: boolean;
  /** Whether the installation offers plans, which begin with a trial. */
  hasTrial: boolean;
  operator: Operator | null;
}> = ({ origin, docsUrl, platforms, canSignUp, hasTrial, operator }) => (
  <Document title={TITLE} script={false} assets={{ styles: ["front"] }} head={<SocialCard origin={origin} />}>
    <div class="front">
      <header class="front-header">
        <a class="brand" href="/" aria-current="page">
          <Logo /> Almanac
        </a>
        <a class="button secondary" href="/login">
          Sign in
        </a>
      </header>
      <main>
        <section class="front-intro">
          <div class="front-words">
            <h1>{TITLE}</h1>
            <p class="front-lead">{DESCRIPTION}</p>
            <p class="front-actions">
              {canSignUp && (
                <a class="button" href="/signup">
                  Create an account
                </a>
              )}
              <a class={canSignUp ? "button secondary" : "button"} href="/login">
                Sign in
              </a>
            </p>
            {canSignUp && hasTrial && <p class="hint">{TRIAL_DAYS} days free. No card required.</p>}
          </div>
          <CalendarDrawing />
        </section>

        <section aria-labelledby="promise">
          <h2 id="promise">What you can rely on</h2>
          <ul class="front-promise">
            <Assurance title="What you preview is what is published">
              Before you schedule, you see the text, the media and the settings for every account, checked against the
              rules of its platform. Nothing else goes out.
            </Assurance>
            <Assurance title="Once">
              If a connection breaks while a post is being sent, Almanac looks on the platform before it tries again,
              and asks you where it cannot tell.
            </Assurance>
            <Assurance title="On time">
              Every post has an alarm of its own. Pictures and videos are uploaded ahead, so that the post appears when
              you said.
            </Assurance>
            <Assurance title="A status that is true">
              “Published” means that the platform has it, with the link. “Failed” comes with the reason and what to do
              next.
            </Assurance>
          </ul>
        </section>

        {platforms.length > 0 && (
          <section aria-labelledby="platforms">
            <h2 id="platforms">Where it posts</h2>
            <ul class="front-platforms">
              {platforms.map((platform) => (
                <li>
                  <PlatformBadge platform={platform} isDecorative /> {PLATFORM_NAMES[platform]}
                </li>
              ))}
            </ul>
          </section>
        )}

        <section class="front-programs" aria-labelledby="programs">
          <h2 id="programs">Open to your programs and assistants</h2>
          <p>
            What an AI assistant or your own program schedules appears in the same calendar, and you decide what each of
            them may do. <a href={docsUrl}>Documentation</a>
          </p>
        </section>
      </main>
      <Footer operator={operator}>
        <a href={docsUrl}>Documentation</a>
      </Footer>
    </div>
  </Document>
);
