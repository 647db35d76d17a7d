create table product (
  id bigint primary key,
  name varchar(80) not null,
  price_cents bigint not null,
  description varchar(2000) not null
);

insert into product
select
  x,
  case mod(x, 5) when 0 then 'Apple' when 1 then 'Banana' when 2 then 'Cherry' when 3 then 'Date' else 'Elderberry' end
    || ' jam No. ' || x,
  199 + mod(x * 37, 800),
  repeat('Made by hand of ripe fruit, cooked slowly, and kept in a cool and dark place. ', 8)
from system_range(1, 3000);
