import { reportMessages } from '#contract/messages.ts'

export interface EmbedFailure {
  title: string
  advice: string
  /** Who mends it; for administrators alone. */
  adminAdvice?: string | undefined
  /** The code to quote in a support ticket; empty when there is none. */
  code: string
  /** Whether the page retries every minute. */
  autoRetries: boolean
  requestId?: string | undefined
}

export const INVALID_REPORT = createFailure(
  'Avise o administrador do portal: falta um dado na configuração deste relatório.',
  reportMessages.embedInvalid,
)
export const LOAD_TIMED_OUT: EmbedFailure = {
  ...createFailure(
    'O relatório demorou demais para responder. Verifique sua conexão; o portal tenta de novo sozinho a cada minuto.',
  ),
  autoRetries: true,
}
export const SDK_UNREACHABLE = createFailure(
  'Parte do portal não pôde ser baixada. Verifique sua conexão e recarregue a página.',
)

export function createFailure(advice: string, title: string = reportMessages.embedFailed): EmbedFailure {
  return { title, advice, code: '', autoRetries: false }
}
