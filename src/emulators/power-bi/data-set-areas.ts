import type { FigureFormat } from './data-set-format.ts'

/** A figure of a report: the sum of `of`, or `factor` × the sum of `of` ÷ the sum of `per`. */
export interface Metric {
  id: string
  label: string
  of: string
  per?: string
  factor?: number
  format: FigureFormat
}

/** What generates one measure: a multiple of another measure of the same record, with ± `noise` (a fraction). */
interface MeasureRule {
  name: string
  from: string
  times: number | 'price'
  noise: number
}

/** `main` and `second` are the additive metrics that the charts of the two pages draw. */
export interface AreaModel {
  area: string
  measures: readonly MeasureRule[]
  metrics: readonly Metric[]
  main: string
  second: string
}

const measure = (name: string, from: string, times: MeasureRule['times'], noise: number) => {
  return { name, from, times, noise }
}
const total = (id: string, label: string, format: FigureFormat = 'inteiro') => ({ id, label, of: id, format })
const ratio = (id: string, label: string, of: string, per: string, format: FigureFormat, factor = 1) => {
  return { id, label, of, per, format, factor }
}

/** 'volume' is the size of a brand in a state in a month (about 1 for an average brand in Rio de Janeiro). */
export const AREA_MODELS: readonly AreaModel[] = [
  {
    area: 'Vendas',
    measures: [
      measure('unidades', 'volume', 18, 0.08),
      measure('faturamento', 'unidades', 'price', 0.03),
      measure('margem', 'faturamento', 0.074, 0.1),
      measure('testDrives', 'unidades', 2.6, 0.12),
    ],
    metrics: [
      total('unidades', 'Unidades vendidas'),
      total('faturamento', 'Faturamento', 'reais'),
      ratio('ticketMedio', 'Ticket médio', 'faturamento', 'unidades', 'reais'),
      ratio('margemBruta', 'Margem bruta', 'margem', 'faturamento', 'percentual'),
      ratio('conversaoTestDrive', 'Test-drives convertidos', 'unidades', 'testDrives', 'percentual'),
    ],
    main: 'unidades',
    second: 'faturamento',
  },
  {
    area: 'Oficina',
    measures: [
      measure('ordens', 'volume', 132, 0.07),
      measure('receitaPecas', 'ordens', 615, 0.06),
      measure('receitaMaoDeObra', 'ordens', 398, 0.05),
      measure('horas', 'ordens', 5.2, 0.09),
      measure('retornos', 'ordens', 0.031, 0.2),
    ],
    metrics: [
      total('ordens', 'Ordens de serviço'),
      total('receitaPecas', 'Receita de peças', 'reais'),
      total('receitaMaoDeObra', 'Mão de obra', 'reais'),
      ratio('tempoMedio', 'Tempo médio', 'horas', 'ordens', 'horas'),
      ratio('retrabalho', 'Retrabalho', 'retornos', 'ordens', 'percentual'),
    ],
    main: 'ordens',
    second: 'receitaPecas',
  },
  {
    area: 'HPD',
    measures: [
      measure('disponiveis', 'volume', 940, 0.03),
      measure('trabalhadas', 'disponiveis', 0.84, 0.05),
      measure('vendidas', 'trabalhadas', 0.93, 0.06),
      measure('diasDeTecnico', 'disponiveis', 1 / 7.2, 0.04),
    ],
    metrics: [
      total('vendidas', 'Horas vendidas'),
      total('disponiveis', 'Horas disponíveis'),
      ratio('produtividade', 'Produtividade', 'trabalhadas', 'disponiveis', 'percentual'),
      ratio('eficiencia', 'Eficiência', 'vendidas', 'trabalhadas', 'percentual'),
      // A month has 22 working days.
      ratio('horasPorTecnico', 'Horas por técnico', 'vendidas', 'diasDeTecnico', 'horas', 22),
    ],
    main: 'vendidas',
    second: 'disponiveis',
  },
  {
    area: 'CRM',
    measures: [
      measure('oportunidades', 'volume', 96, 0.1),
      measure('contatos', 'oportunidades', 3.4, 0.08),
      measure('ganhas', 'oportunidades', 0.187, 0.12),
      measure('minutosResposta', 'oportunidades', 23, 0.15),
    ],
    metrics: [
      total('oportunidades', 'Oportunidades'),
      total('contatos', 'Contatos realizados'),
      total('ganhas', 'Negócios ganhos'),
      ratio('taxaConversao', 'Taxa de conversão', 'ganhas', 'oportunidades', 'percentual'),
      ratio('primeiraResposta', 'Primeira resposta', 'minutosResposta', 'oportunidades', 'minutos'),
    ],
    main: 'oportunidades',
    second: 'ganhas',
  },
  {
    area: 'Marketing',
    measures: [
      measure('leads', 'volume', 118, 0.12),
      measure('investimento', 'leads', 46, 0.1),
      measure('visitas', 'leads', 0.34, 0.1),
      measure('cliques', 'leads', 24, 0.15),
    ],
    metrics: [
      total('leads', 'Leads'),
      total('investimento', 'Investimento', 'reais'),
      ratio('custoPorLead', 'Custo por lead', 'investimento', 'leads', 'centavos'),
      total('visitas', 'Visitas à loja'),
      ratio('conversaoCliques', 'Leads por clique', 'leads', 'cliques', 'percentual'),
    ],
    main: 'leads',
    second: 'visitas',
  },
  {
    area: 'Gerentes',
    measures: [
      measure('meta', 'volume', 2_350_000, 0.02),
      measure('realizado', 'meta', 0.985, 0.11),
      measure('despesas', 'realizado', 0.058, 0.08),
      measure('respostas', 'volume', 42, 0.1),
      measure('notas', 'respostas', 8.7, 0.03),
    ],
    metrics: [
      total('realizado', 'Realizado', 'reais'),
      total('meta', 'Meta', 'reais'),
      ratio('atingimento', 'Atingimento da meta', 'realizado', 'meta', 'percentual'),
      ratio('despesaRelativa', 'Despesas', 'despesas', 'realizado', 'percentual'),
      ratio('satisfacao', 'Satisfação (0\u00a0a\u00a010)', 'notas', 'respostas', 'decimal'),
    ],
    main: 'realizado',
    second: 'meta',
  },
  {
    area: 'Operadores',
    measures: [
      measure('recebidas', 'volume', 268, 0.09),
      measure('atendimentos', 'recebidas', 0.94, 0.02),
      measure('segundos', 'atendimentos', 287, 0.08),
      measure('dentroDoPrazo', 'atendimentos', 0.83, 0.05),
      measure('agendamentos', 'atendimentos', 0.21, 0.1),
    ],
    metrics: [
      total('atendimentos', 'Atendimentos'),
      ratio('tempoAtendimento', 'TMA', 'segundos', 'atendimentos', 'duracao'),
      ratio('nivelServico', 'Nível de serviço', 'dentroDoPrazo', 'atendimentos', 'percentual'),
      ratio('atendidas', 'Chamadas atendidas', 'atendimentos', 'recebidas', 'percentual'),
      total('agendamentos', 'Agendamentos'),
    ],
    main: 'atendimentos',
    second: 'agendamentos',
  },
]

/** The model of an area; undefined for one without a report. */
export function modelOfArea(area: string): AreaModel | undefined {
  return AREA_MODELS.find((model) => model.area === area)
}

/** A metric of the model by its id; an unknown id is a mistake of the caller and throws. */
export function metricOf(model: AreaModel, id: string): Metric {
  const metric = model.metrics.find((each) => each.id === id)
  if (!metric) throw new Error(`${model.area} has no metric ${id}`)
  return metric
}
