import type { supportRoutes } from '#contract/support.ts'
import type { ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { countUnreadMessages, deleteMessage, listMessages, markMessage, markMessages } from './inbox.ts'
import { type ReportProblemContext, reportProblem } from './report-problem.ts'
import { type SendMessageContext, sendMessage } from './send-message.ts'

export function supportHandlers(
  services: ServicesOf<SendMessageContext & ReportProblemContext>,
): Handlers<typeof supportRoutes> {
  return {
    async sendSupportMessage({ context, body }) {
      await sendMessage({ ...services, ...context }, body)
      return { success: true }
    },
    async reportProblem({ context, body }) {
      await reportProblem({ ...services, ...context }, body)
      return { success: true }
    },
    listSupportMessages: ({ context, query }) => listMessages(context.db, query),
    countUnreadMessages: ({ context }) => countUnreadMessages(context.db),
    markMessageRead: ({ context, params, body }) => markMessage(context, params.id, body),
    markAllMessagesRead: ({ context, body }) => markMessages(context, body),
    deleteMessage: async ({ context, params }) => {
      await deleteMessage(context, params.id)
      return undefined
    },
  }
}
