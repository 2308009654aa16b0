import * as z from 'zod/mini'
import { typeSchema } from './catalogue.ts'
import { normalizeTyped } from './pasted-text.ts'
import { embedModeSchema } from './reports.ts'
import type { Routes } from './route.ts'
import { cleanLine, cleanLines } from './text-rules.ts'
import { lineSchema, searchSchema } from './text-schemas.ts'

/** Texts of /contato and /mensagens, separate from messages.ts so that no other screen loads them. */

export const contactMessages = {
  nameRequired: 'Nome é obrigatório',
  nameTooLong: 'Nome deve ter no máximo 100 caracteres',
  emailInvalid: 'E-mail inválido',
  emailTooLong: 'E-mail deve ter no máximo 255 caracteres',
  phoneRequired: 'Celular é obrigatório',
  phoneTooLong: 'Celular deve ter no máximo 20 caracteres',
  messageRequired: 'Mensagem é obrigatória',
  messageTooLong: 'Mensagem deve ter no máximo 1000 caracteres',
  send: 'Enviar Mensagem',
  sending: 'Enviando...',
  sent: 'Mensagem enviada com sucesso!',
  failed: 'Erro ao enviar mensagem. Tente novamente.',
} as const

export const inboxMessages = {
  none: 'Nenhuma mensagem recebida ainda',
  loadFailed: 'Erro ao carregar mensagens',
  read: 'Mensagem marcada como lida',
  readFailed: 'Erro ao marcar como lida',
  unread: 'Mensagem marcada como não lida',
  unreadFailed: 'Erro ao marcar como não lida',
  allRead: 'Mensagens marcadas como lidas',
  allReadFailed: 'Erro ao marcar as mensagens como lidas',
  allUnread: 'Mensagens marcadas como não lidas',
  allUnreadFailed: 'Erro ao marcar as mensagens como não lidas',
  deleted: 'Mensagem excluída',
  deleteFailed: 'Erro ao excluir mensagem',
  accepted: 'Mensagem movida para a entrada',
  acceptFailed: 'Erro ao mover mensagem',
} as const

/** In code points. */
export const MAX_MESSAGE_LENGTH = 1_000

/** Maximum of messages marked as unread in one request. */
export const MAX_MARKED = 1_000

const supportMessageSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  message: z.string(),
  is_read: z.boolean(),
  created_at: z.string(),
  /** Only of messages with a filled honeypot. */
  is_suspect: z.optional(z.literal(true)),
  /** Who last marked it; `by` is null after their deletion. Missing in version 0.1. */
  handled: z.nullish(z.object({ by: z.nullable(z.string()), at: z.string(), answered: z.boolean() })),
  /** The account with this address; whoever wrote need not be its owner. */
  account: z.optional(z.uuid()),
})
export type SupportMessage = z.output<typeof supportMessageSchema>

/** A visible character. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}]/u
/** Cleaned, as a stranger's message is better than none. */
const requiredText = (required: string, max: number, tooLong: string, clean = cleanLine) =>
  z.string().check(z.overwrite(clean), z.regex(VISIBLE, required), z.maxLength(max, tooLong))

/** The contact form in the order of its fields; every value is trimmed and cleaned. */
export const contactFormSchema = z.object({
  name: requiredText(contactMessages.nameRequired, 100, contactMessages.nameTooLong),
  email: z
    .string()
    .check(
      z.overwrite(normalizeTyped),
      z.maxLength(255, contactMessages.emailTooLong),
      z.email(contactMessages.emailInvalid),
    ),
  phone: requiredText(contactMessages.phoneRequired, 20, contactMessages.phoneTooLong),
  message: requiredText(
    contactMessages.messageRequired,
    MAX_MESSAGE_LENGTH,
    contactMessages.messageTooLong,
    cleanLines,
  ),
})

/** A form that is sent sooner than this after opening is considered automated. */
export const CONTACT_MIN_FILL_MS = 3_000

const idParams = z.object({ id: z.uuid() })
const shortText = z.string().check(z.overwrite(cleanLine), z.maxLength(100))

export const supportRoutes = {
  sendSupportMessage: {
    method: 'POST',
    path: '/api/support-messages',
    access: 'public',
    trail: { none: 'the message is its own record' },
    summary: 'Files a message of the contact form',
    body: z.strictObject({
      ...contactFormSchema.shape,
      /** A human-check pass; required if CONTACT_CAPTCHA is on. */
      captcha: z.optional(lineSchema(8192)),
      /** Honeypot, invisible to people. */
      website: z.optional(z.string().check(z.overwrite(cleanLine), z.maxLength(500))),
      /** How long the form was open, in ms, if known. */
      fill_ms: z.optional(z.number().check(z.nonnegative())),
    }),
    response: z.object({ success: z.literal(true) }),
    status: 201,
  },
  reportProblem: {
    method: 'POST',
    path: '/api/support-messages/problem-reports',
    access: 'approved',
    trail: { none: 'the message is its own record' },
    summary: 'Files a message about a report that failed; who, marcas and estados come from the session',
    body: z.strictObject({
      type: typeSchema,
      embedMode: embedModeSchema,
      reportId: z.optional(z.nullable(shortText)),
      /** The error message and code shown on the page. */
      failure: z.string().check(z.overwrite(cleanLine), z.minLength(1), z.maxLength(200)),
      /** Request id of the service or the portal. */
      requestId: z.optional(z.nullable(shortText)),
    }),
    response: z.object({ success: z.literal(true) }),
    status: 201,
  },
  listSupportMessages: {
    method: 'GET',
    path: '/api/support-messages',
    access: 'admin',
    summary:
      'A page of messages, newest first, or of suspect ones; `q` looks in name, e-mail, phone and text',
    query: z.strictObject({
      q: searchSchema,
      /** 'true' returns unread messages only, 'false' read ones. */
      unread: z.optional(z.enum(['true', 'false'])),
      /** Only messages with a filled honeypot, which are in no other list. */
      suspect: z.optional(z.literal('true')),
      cursor: z.optional(lineSchema(256)),
      limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100))),
    }),
    response: z.object({
      items: z.array(supportMessageSchema),
      total: z.number(),
      next: z.nullable(z.string()),
    }),
  },
  countUnreadMessages: {
    method: 'GET',
    path: '/api/support-messages/unread-count',
    access: 'admin',
    summary: 'How many support messages are unread',
    response: z.object({ count: z.number() }),
  },
  markMessageRead: {
    method: 'PATCH',
    path: '/api/support-messages/{id}',
    access: 'admin',
    trail: ['message-read', 'message-unread', 'message-answered', 'message-accepted'],
    summary:
      'Marks a message as read, or as unread again (`answered`: because an answer was begun), or moves a suspect one to the others',
    params: idParams,
    body: z.union([
      z.strictObject({ is_read: z.boolean() }),
      z.strictObject({ is_read: z.literal(true), answered: z.literal(true) }),
      z.strictObject({ is_suspect: z.literal(false) }),
    ]),
    response: supportMessageSchema,
  },
  markAllMessagesRead: {
    method: 'PATCH',
    path: '/api/support-messages',
    access: 'admin',
    trail: ['messages-read', 'messages-unread'],
    summary:
      'Marks all messages as read, or with `q` those in which it is found, or those of `ids` as unread again; how many that changed, and which where they are few enough to be named',
    body: z.union([
      z.strictObject({
        is_read: z.literal(true),
        q: searchSchema,
      }),
      z.strictObject({ is_read: z.literal(false), ids: z.array(z.uuid()).check(z.maxLength(MAX_MARKED)) }),
    ]),
    response: z.object({ marked: z.number(), ids: z.array(z.uuid()) }),
    maxBodyBytes: 64 * 1024,
  },
  deleteMessage: {
    method: 'DELETE',
    path: '/api/support-messages/{id}',
    access: 'admin',
    trail: 'message-deleted',
    summary: 'Deletes a message',
    params: idParams,
  },
} as const satisfies Routes
