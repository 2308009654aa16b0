import type { supportRoutes } from '#contract/support.ts'
import type { Handlers } from '#server/http/implement.ts'
import { deleteMessage, markMessageRead } from './change-message.ts'
import { listMessages } from './list-messages.ts'
import type { MessageStreams } from './message-streams.ts'
import { reportProblem } from './report-problem.ts'
import { type SendMessageDeps, sendMessage } from './send-message.ts'

export interface SupportDeps extends SendMessageDeps {
  /** ms since the epoch */
  clock: () => number
  messageStreams: Pick<MessageStreams, 'follow'>
}

export function supportHandlers(deps: SupportDeps): Handlers<typeof supportRoutes> {
  const { db, clock } = deps
  const now = () => new Date(clock())
  return {
    async sendSupportMessage({ body, request }) {
      await sendMessage(deps, body, request)
      return { success: true }
    },
    async reportProblem({ body, actor, request }) {
      await reportProblem(deps, actor, body, request)
      return { success: true }
    },
    listSupportMessages: ({ query }) => listMessages(db, query),
    countUnreadMessages: () =>
      db
        .selectFrom('support_messages')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('is_read', '=', false)
        .executeTakeFirstOrThrow(),
    followMessageChanges: ({ actor }) => deps.messageStreams.follow(actor),
    markMessageRead: ({ params, actor, request }) =>
      markMessageRead(db, { id: params.id, actor, request, at: now() }),
    deleteMessage: ({ params, actor, request }) =>
      deleteMessage(db, { id: params.id, actor, request, at: now() }).then(() => undefined),
  }
}
