import {
  DETAIL_CAUSES,
  HTTP_ERROR_CAUSES,
  LOGIN_ERROR_CAUSES,
  PAUSED_REASON_CAUSES,
  REFUSAL_CAUSES,
  TARGET_ERROR_CAUSES,
  WARNING_CAUSES,
} from "#core/code-causes.ts";
import { DETAILS, HTTP_ERRORS, LOGIN_ERRORS, PAUSED_REASONS, REFUSALS, TARGET_ERRORS, WARNINGS } from "#core/codes.ts";
import { codeBlock } from "#docs/markdown/markdown.ts";
import type { DocsPage } from "#docs/page.ts";
import { answerOf, type ApiDocument, operationsOf } from "#docs/reference/document.ts";

const SECTION = "Reference";

type Texts = Readonly<Record<string, string>>;

/** The first example in the OpenAPI document for each error code, with its HTTP status. */
function examplesOf(document: ApiDocument): ReadonlyMap<string, { readonly status: string; readonly body: unknown }> {
  const found = new Map<string, { status: string; body: unknown }>();
  for (const { name } of document.tags) {
    for (const { operation } of operationsOf(document, name)) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        const { example, examples = {} } = answerOf(document, answer).content?.["application/json"] ?? {};
        for (const body of [example, ...Object.values(examples).map(({ value }) => value)]) {
          const code = (body as { readonly code?: unknown } | undefined)?.code;
          if (Number(status) >= 400 && typeof code === "string" && !found.has(code)) {
            found.set(code, { status, body });
          }
        }
      }
    }
  }
  return found;
}

function codesMarkdown(remedies: Texts, causes: Texts, after: (code: string) => string = () => ""): string {
  return Object.entries(remedies)
    .map(([code, remedy]) => `### ${code}\n\n${causes[code] ?? ""}\n\n**What to do**: ${remedy}\n${after(code)}`)
    .join("\n");
}

/** Makes a page for each list of codes. It says when each code appears and what to do. */
export function codePages(document: ApiDocument, docsUrl: string): DocsPage[] {
  const examples = examplesOf(document);
  const withExample = (code: string): string => {
    const example = examples.get(code);
    return example === undefined
      ? ""
      : `\nAnswered with ${example.status}:\n\n${codeBlock("json", JSON.stringify(example.body, null, 2))}`;
  };
  return [
    {
      path: "error-codes",
      title: "Error codes",
      description: "Every code with which a call is refused: when it comes and what to do.",
      section: SECTION,
      order: 242,
      markdown: `A refused call has a message for people in \`error\` and one of these in \`code\`. Where several things are wrong, \`details\` lists all of them, each with a [code of its own](${docsUrl}/problem-codes). A code never changes its meaning; new ones may be added.

## Refusals

${codesMarkdown(REFUSALS, REFUSAL_CAUSES, withExample)}
## Of HTTP itself

${codesMarkdown(HTTP_ERRORS, HTTP_ERROR_CAUSES, withExample)}`,
    },
    {
      path: "problem-codes",
      title: "Problems of a request",
      description: "Every code in the details of a refusal: one problem each.",
      section: SECTION,
      order: 243,
      markdown: `A refusal with problems lists all of them in \`details\`: each has a \`code\`, a \`message\`, and often the \`param\`, the account, and the \`limit\` with the \`actual\` number. Mend every one and preview again.

## Problems

${codesMarkdown(DETAILS, DETAIL_CAUSES)}`,
    },
    {
      path: "publishing-errors",
      title: "Why a post was not published",
      description: "Every code of a target that failed, of a login, and of a paused post.",
      section: SECTION,
      order: 244,
      markdown: `A target that was not published has one of these in \`error.code\`, and \`error.message\` says what the platform answered.

## Targets

${codesMarkdown(TARGET_ERRORS, TARGET_ERROR_CAUSES)}
## Logins

What the page says after a login that connected no account.

${codesMarkdown(LOGIN_ERRORS, LOGIN_ERROR_CAUSES)}
## Paused posts

\`paused_reason\` of a post.

${codesMarkdown(PAUSED_REASONS, PAUSED_REASON_CAUSES)}`,
    },
    {
      path: "warnings",
      title: "Warnings of a preview",
      description: "Every warning: the post can be confirmed as it is.",
      section: SECTION,
      order: 245,
      markdown: `A preview has \`warnings\` for the post and for each target. None of them stops a confirm.

## Warnings

${codesMarkdown(WARNINGS, WARNING_CAUSES)}`,
    },
  ];
}
