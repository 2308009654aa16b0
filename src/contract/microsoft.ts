import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { instantSchema } from './users.ts'

/** Why a sign-in with Microsoft did not work, with what the person reads. */
export const MICROSOFT_REFUSALS = {
  cancelled: 'A entrada com a Microsoft não foi concluída. Tente de novo quando quiser.',
  'not-permitted':
    'A Microsoft não deixou sua conta entrar neste portal. Peça ao suporte do grupo que libere o acesso.',
  'other-browser':
    'Esta entrada começou em outro navegador, ou há mais de dez minutos. Comece de novo por aqui.',
  replayed: 'Este endereço da Microsoft já foi usado. Comece de novo por aqui.',
  'invalid-answer':
    'A resposta da Microsoft não pôde ser conferida, por isso ninguém entrou. Comece de novo; se repetir, avise o administrador.',
  'directory-unavailable':
    'A Microsoft não respondeu como devia. Tente de novo em instantes, ou entre com sua senha.',
  'consent-missing':
    'Falta uma permissão que o administrador da Microsoft do grupo dá a este portal. Avise o administrador.',
  expired: 'A entrada na Microsoft demorou, ou foi repetida, e já não vale. Comece de novo por aqui.',
  misconfigured:
    'A Microsoft não reconheceu este portal: o segredo dele pode ter vencido, ou o registro, mudado. Avise o administrador.',
  'other-tenant':
    'Esta conta Microsoft é de outra organização. Saia dela na Microsoft e entre com sua conta do grupo.',
  guest: 'Sua conta é de convidado na Microsoft do grupo. Só contas próprias do grupo entram neste portal.',
  'kind-unknown':
    'A Microsoft não informou se sua conta é própria do grupo. Avise o administrador: falta a declaração acct.',
  'no-address':
    'A Microsoft não informou o e-mail da sua conta. Avise o administrador: falta a declaração email.',
  'foreign-address':
    'O e-mail da sua conta Microsoft não é do grupo. Entre com a conta que tem seu e-mail corporativo.',
  'address-differs': 'O e-mail da conta Microsoft não é o desta conta do portal. Nada foi ligado.',
  'already-linked': 'Esta conta Microsoft já está ligada a outra conta do portal. Nada foi ligado.',
  'other-account-linked':
    'Sua conta do portal já está ligada a outra conta Microsoft. Entre com sua senha e desligue-a em Segurança.',
  'not-linked': 'Nenhuma conta Microsoft está ligada a esta conta do portal. Confirme de outra forma.',
  'other-person':
    'Você entrou na Microsoft com outra conta, que não é a desta sessão do portal. Nada foi confirmado.',
  'not-renewed':
    'A Microsoft não pediu que você entrasse de novo, por isso nada foi confirmado. Tente outra vez.',
  'auth-time-missing':
    'A Microsoft não informou quando você entrou, por isso nada foi confirmado. Avise o administrador: falta a declaração auth_time.',
  unverified: 'Confirme primeiro o e-mail da sua conta do portal. Depois ligue a conta Microsoft.',
  upgrading:
    'O portal está sendo atualizado. Daqui a uma hora a entrada com a Microsoft funciona; até lá, use sua senha.',
  'too-many': 'Houve tentativas demais deste endereço. Aguarde alguns minutos e tente de novo.',
} as const
export type MicrosoftRefusal = keyof typeof MICROSOFT_REFUSALS

export const microsoftRoutes = {
  readOwnIdentity: {
    method: 'GET',
    path: '/api/auth/microsoft',
    access: 'signedIn',
    summary: 'The Microsoft account that opens the own account; null fields without one',
    response: z.object({
      /** Whether the portal offers the sign-in. */
      offered: z.boolean(),
      email: z.nullable(z.string()),
      linked_at: z.nullable(instantSchema),
      last_used_at: z.nullable(instantSchema),
      /** Without one, unlinking would lock the person out. */
      has_password: z.boolean(),
    }),
  },
  beginLink: {
    method: 'GET',
    path: '/api/auth/microsoft/link',
    access: 'signedIn',
    recentAuthentication: 'account',
    summary: 'The address with which this session, and no other, links a Microsoft account',
    query: z.object({ mark_hash: z.string().check(z.regex(/^[\w-]{43}$/)) }),
    response: z.object({ location: z.string() }),
  },
  beginRenewal: {
    method: 'GET',
    path: '/api/auth/microsoft/renewal',
    access: 'signedIn',
    // Also before a required factor is set up, which asks for a recent authentication.
    alsoFor: ['aal1'],
    summary: 'The address where the linked Microsoft account makes this session, and no other, recent',
    query: z.object({ mark_hash: z.string().check(z.regex(/^[\w-]{43}$/)) }),
    response: z.object({ location: z.string() }),
  },
  unlinkOwnIdentity: {
    method: 'DELETE',
    path: '/api/auth/microsoft',
    access: 'signedIn',
    recentAuthentication: 'account',
    trail: 'microsoft-unlinked',
    summary: 'Unlinks the Microsoft account and ends the sessions that it opened, except the one that asks',
  },
} as const satisfies Routes
