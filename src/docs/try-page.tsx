import type { FC } from "hono/jsx";
import { DocsLayout } from "./layout.tsx";
import type { DocsSite } from "./site.ts";

/** The only documentation page that needs scripts: Swagger UI with this service's OpenAPI document. */
export const TryPage: FC<{ site: DocsSite }> = ({ site }) => {
  const { baseUrl, docsUrl } = site.config;
  return (
    <DocsLayout
      site={site}
      path={null}
      title="Try it"
      hasMain={false}
      head={
        <>
          <link rel="stylesheet" href="/swagger-ui.css" />
          <link rel="stylesheet" href="/try.css" />
          <script src="/swagger-ui-bundle.js" defer></script>
          <script src="/try.js" defer></script>
        </>
      }
    >
      <section class="docs-text" aria-labelledby="try">
        <h1 id="try">Try it</h1>
        <p class="docs-lead">
          Every call of the API, with a key of your own: press Authorize, then Try it out. The calls are real.
        </p>
        <noscript>
          <p>
            This page needs JavaScript; the <a href={`${docsUrl}/reference`}>reference</a> has the same calls as
            commands.
          </p>
        </noscript>
        <h2 class="visually-hidden">Calls</h2>
      </section>
      <div class="try" id="swagger-ui" data-document={`${baseUrl}/openapi.json`}></div>
    </DocsLayout>
  );
};
