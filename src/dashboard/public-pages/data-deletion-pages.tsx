import type { FC } from "hono/jsx";
import type { DataDeletion } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Operator } from "./operator.ts";
import { Contact, PublicLayout } from "./public-layout.tsx";

/** Explains how a person has data deleted. `callers` are the platforms that forward such requests. */
export const DataDeletionPage: FC<{ operator: Operator; callers: readonly Platform[] }> = ({ operator, callers }) => (
  <PublicLayout title="Data deletion" operator={operator}>
    <ol>
      <li>
        To withdraw one account: disconnect it in Almanac. Its token is erased and withdrawn at the platform at once,
        and posts that were waiting for it are skipped.
      </li>
      {callers.length > 0 && (
        <li>
          At {new Intl.ListFormat("en").format(callers.map((platform) => PLATFORM_NAMES[platform]))} you can also remove
          Almanac in the settings of the platform and ask there for the deletion of your data. You receive a code and
          the address of a page that says what was deleted.
        </li>
      )}
      <li>
        To delete everything: sign in, open your profile and choose{" "}
        <a href="/dashboard/profile/deletion">Delete your account</a>. Posts, logins, keys and webhooks end at once, and
        everything is erased seven days later. If you cannot sign in, write to <Contact operator={operator} /> from the
        e-mail address of your login.
      </li>
    </ol>
  </PublicLayout>
);

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Shows the state of a deletion request that a platform forwarded. */
export const DeletionStatusPage: FC<{ operator: Operator | null; code: string; deletion: DataDeletion }> = ({
  operator,
  code,
  deletion,
}) => {
  const name = PLATFORM_NAMES[deletion.platform];
  return (
    <PublicLayout
      title={deletion.completedAt === null ? "Deletion under way" : "Data deleted"}
      operator={operator ?? { name: "Almanac", contact: "", jurisdiction: null }}
    >
      <p>
        Confirmation code <code>{code}</code>, requested through {name} on {day(deletion.requestedAt)}.
      </p>
      {deletion.completedAt === null ? (
        <p>
          The deletion has begun. A post that is being published at this moment ends first; look again in some minutes.
        </p>
      ) : (
        <p>
          Completed on {day(deletion.completedAt)}: access tokens, names, pictures, addresses and the ids that {name}{" "}
          gave to the person, its accounts and its posts.
        </p>
      )}
      <p>
        Kept: the texts and media of posts and the times of their publication, which belong to whoever wrote them in
        Almanac. Posts that are public at {name} stay there until they are deleted there.
      </p>
    </PublicLayout>
  );
};
