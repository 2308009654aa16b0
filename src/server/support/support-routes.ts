import type { supportRoutes } from '#contract/support.ts'
import type { Db } from '#server/database/schema.ts'
import type { Handlers } from '#server/http/implement.ts'

export function supportHandlers(db: Db): Handlers<typeof supportRoutes> {
  return {
    countUnreadMessages: () =>
      db
        .selectFrom('support_messages')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('is_read', '=', false)
        .executeTakeFirstOrThrow(),
  }
}
